import { type Context, Refusal, requireMember } from "../access/context.ts";
import { decodeCursor, highest, type Page, type PageInput, pageOf } from "../store/page.ts";
import type { Row } from "../store/store.ts";
import { isLive, liveStates, type RunState, runStates } from "./run.ts";

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
}): Promise<Page<RunEntry> & { counts: { live: number; ended: number } }> {
  requireMember(ctx);
  const [time = highest, id = "g"] = decodeCursor(input.cursor, ["number", "string"]);
  const found: RunRow[] = [];
  // Each state along its own index: among many runs that have ended, those that live are found at once.
  for (const state of statesOf(input.state)) {
    found.push(
      ...(await ctx.store.all<RunRow>(
        `${select} where r.state = $1 and (r.queued_at, r.id) < ($2, $3) and ${visible}
         order by r.queued_at desc, r.id desc limit $4`,
        [state, time, id, input.limit + 1],
      )),
    );
  }
  const rows = found.sort((a, b) => b.queued_at - a.queued_at || (a.id < b.id ? 1 : -1)).slice(0, input.limit + 1);
  const counts = { live: 0, ended: 0 };
  for (const state of runStates) {
    const row = await ctx.store.one<{ runs: number }>(
      `select count(*) as runs from (select 1 from agent_run where state = $1 limit ${countMax}) as some`,
      [state],
    );
    counts[isLive(state) ? "live" : "ended"] += row?.runs ?? 0;
  }
  return { ...pageOf(rows, input.limit, (row) => [row.queued_at, row.id], present), counts };
}

const countMax = 10_000;

function statesOf(state: RunState | "live" | "ended" | undefined): readonly RunState[] {
  if (state === undefined) return runStates;
  if (state === "live") return liveStates;
  return state === "ended" ? endedStates : [state];
}

export async function showRun({ ctx, input: { id } }: { ctx: Context; input: { id: string } }): Promise<RunEntry> {
  requireMember(ctx);
  const row = await ctx.store.one<RunRow>(`${select} where r.id = $1 and ${visible}`, [id]);
  if (!row) throw new Refusal("not_found", `there is no run ${id}`);
  return present(row);
}

interface RunRow extends Row {
  id: string;
  state: RunState;
  reason: string | null;
  attempt: number;
  branch: string;
  queued_at: number;
  started_at: number | null;
  ended_at: number | null;
  repository_id: string | null;
  url: string | null;
  ticket_id: string;
  title: string;
  board_id: string;
  board_name: string;
  project_id: string;
  project_name: string;
}

const select = `select r.id, r.state, r.reason, r.attempt, r.branch, r.queued_at, r.started_at, r.ended_at,
    r.repository_id, o.url, r.ticket_id, t.title, b.id as board_id, b.name as board_name,
    p.id as project_id, p.name as project_name
  from agent_run r join ticket t on t.id = r.ticket_id join board_column c on c.id = t.column_id
    join board b on b.id = c.board_id join project p on p.id = b.project_id
    left join repository o on o.id = r.repository_id`;

const visible = "t.deleted_at is null and b.deleted_at is null and p.deleted_at is null";

function present(row: RunRow): RunEntry {
  return {
    id: row.id,
    state: row.state,
    // Runners report nowhere yet, so none has been seen.
    reason: row.reason ?? (row.state === "queued" ? "no_runner" : null),
    attempt: row.attempt,
    branch: row.branch,
    queuedAt: new Date(row.queued_at).toISOString(),
    startedAt: row.started_at === null ? null : new Date(row.started_at).toISOString(),
    endedAt: row.ended_at === null ? null : new Date(row.ended_at).toISOString(),
    repository: row.repository_id === null ? null : { id: row.repository_id, url: row.url ?? "" },
    card: { id: row.ticket_id, title: row.title },
    project: { id: row.project_id, name: row.project_name },
    board: { id: row.board_id, name: row.board_name },
  };
}
