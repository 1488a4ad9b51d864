import { type Context, requireMember } from "../core/context.ts";
import { decodeCursor, highest, type Page, type PageInput, pageOf } from "../core/page.ts";
import type { Row } from "../core/store.ts";
import { isLive, liveStates, type RunState, runStates } from "./run.ts";
import { type RunnerReach, reasonOf, runnerReach } from "./runner-reach.ts";

const endedStates = runStates.filter((state) => !isLive(state));

/** A run with what it works on. */
export interface RunEntry {
  id: string;
  state: RunState;
  reason: string | null;
  attempt: number;
  branch: string;
  queuedAt: string;
  startedAt: string | null;
  endedAt: string | null;
  /** The machine that took it last. */
  runner: string | null;
  creditsHeld: number;
  creditsUsed: number;
  pullRequestUrl: string | null;
  repository: { id: string; url: string } | null;
  card: { id: string; title: string };
  project: { id: string; name: string };
  board: { id: string; name: string };
}

/** Newest first. */
export async function listRuns({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { state: RunState | "live" | "ended" | undefined };
}): Promise<Page<RunEntry> & { counts: Record<RunState, number> }> {
  requireMember(ctx);
  const [time = highest, id = "g"] = decodeCursor(input.cursor, ["number", "string"]);
  const found: EntryRow[] = [];
  // Each state along its own index: among many runs that have ended, those that live are found at once.
  for (const state of statesOf(input.state)) {
    found.push(
      ...(await ctx.store.all<EntryRow>(
        `select ${entryColumns} from ${entryTables}
         where r.state = $1 and (r.queued_at, r.id) < ($2, $3) and ${entryVisible}
         order by r.queued_at desc, r.id desc limit $4`,
        [state, time, id, input.limit + 1],
      )),
    );
  }
  const rows = found.sort((a, b) => b.queued_at - a.queued_at || (a.id < b.id ? 1 : -1)).slice(0, input.limit + 1);
  const reaches = await runnerReach(ctx.store, ctx.now());
  const counts = {} as Record<RunState, number>;
  for (const state of runStates) {
    const row = await ctx.store.one<{ runs: number }>(
      `select count(*) as runs from (select 1 from agent_run where state = $1 limit ${countMax}) as some`,
      [state],
    );
    counts[state] = row?.runs ?? 0;
  }
  const page = pageOf(
    rows,
    input.limit,
    (row) => [row.queued_at, row.id],
    (row) => presentEntry(row, reaches),
  );
  return { ...page, counts };
}

const countMax = 10_000;

function statesOf(state: RunState | "live" | "ended" | undefined): readonly RunState[] {
  if (state === undefined) return runStates;
  if (state === "live") return liveStates;
  return state === "ended" ? endedStates : [state];
}

export interface EntryRow extends Row {
  id: string;
  state: RunState;
  reason: string | null;
  attempt: number;
  branch: string;
  queued_at: number;
  started_at: number | null;
  ended_at: number | null;
  runner_name: string | null;
  credits_held: number;
  credits_used: number;
  pull_request_url: string | null;
  repository_id: string | null;
  url: string | null;
  ticket_id: string;
  title: string;
  board_id: string;
  board_name: string;
  project_id: string;
  project_name: string;
}

export const entryColumns = `r.id, r.state, r.reason, r.attempt, r.branch, r.queued_at, r.started_at, r.ended_at,
  r.runner_name, r.credits_held, r.credits_used, r.pull_request_url, r.repository_id, o.url, r.ticket_id, t.title,
  b.id as board_id, b.name as board_name, p.id as project_id, p.name as project_name`;

export const entryTables = `agent_run r join ticket t on t.id = r.ticket_id join board_column c on c.id = t.column_id
  join board b on b.id = c.board_id join project p on p.id = b.project_id
  left join repository o on o.id = r.repository_id`;

export const entryVisible = "t.deleted_at is null and b.deleted_at is null and p.deleted_at is null";

export function presentEntry(row: EntryRow, reaches: RunnerReach): RunEntry {
  return {
    id: row.id,
    state: row.state,
    reason: reasonOf(row, reaches),
    attempt: row.attempt,
    branch: row.branch,
    queuedAt: new Date(row.queued_at).toISOString(),
    startedAt: row.started_at === null ? null : new Date(row.started_at).toISOString(),
    endedAt: row.ended_at === null ? null : new Date(row.ended_at).toISOString(),
    runner: row.runner_name,
    creditsHeld: row.credits_held,
    creditsUsed: row.credits_used,
    pullRequestUrl: row.pull_request_url,
    repository: row.repository_id === null ? null : { id: row.repository_id, url: row.url ?? "" },
    card: { id: row.ticket_id, title: row.title },
    project: { id: row.project_id, name: row.project_name },
    board: { id: row.board_id, name: row.board_name },
  };
}
