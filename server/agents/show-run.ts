import { limits } from "../../openapi/schema/limits.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { Reader, Row } from "../core/store.ts";
import { type EntryRow, entryColumns, entryTables, entryVisible, presentEntry, type RunEntry } from "./list-runs.ts";
import { isLive } from "./run.ts";
import { mayStartRuns } from "./run-starters.ts";
import { reasonOf, runnerReach, runnerSeenAt } from "./runner-reach.ts";

/** Everything that a run's page shows but its log. */
export interface RunDetail extends RunEntry {
  /** Of how many. */
  attempts: number;
  claimedAt: string | null;
  heartbeatAt: string | null;
  /** Until when it is waited for: in the queue, or under way. */
  deadlineAt: string | null;
  /** What its runner does right now. */
  progress: string | null;
  /** Markdown. */
  summary: string | null;
  /** What a run of the repository holds, and what is left; null while credits are not limited. */
  credits: { needed: number; left: number } | null;
  /** When a machine was last seen that may take it. */
  runnerSeenAt: string | null;
  /** Repositories that are bound to its project. */
  repositories: number;
  log: { bytes: number; truncated: boolean };
  /** By whoever asks. */
  mayCancel: boolean;
  /** The card's newest, of a card that is still the agent's. */
  mayRetry: boolean;
}

interface DetailRow extends EntryRow {
  claimed_at: number | null;
  heartbeat_at: number | null;
  deadline_at: number | null;
  progress: string | null;
  summary: string | null;
  run_credits: number | null;
  balance: number | null;
  log_kept: number;
  repositories: number;
  agents: number;
  newest: string;
}

export async function showRun({ ctx, input: { id } }: { ctx: Context; input: { id: string } }): Promise<RunDetail> {
  requireMember(ctx);
  const { store } = ctx;
  const row = await store.one<DetailRow>(select, [id]);
  if (!row) throw new Refusal("not_found", `there is no run ${id}`);
  const seen = await runnerSeenAt(store, row.project_id);
  const mayStart = await mayStartRuns(store, ctx);
  return {
    ...presentEntry(row, await runnerReach(store, ctx.now())),
    attempts: limits.runAttempts,
    claimedAt: timeOf(row.claimed_at),
    heartbeatAt: timeOf(row.heartbeat_at),
    deadlineAt: timeOf(row.deadline_at),
    progress: row.progress,
    summary: row.summary,
    credits: row.balance === null ? null : { needed: row.run_credits ?? 0, left: row.balance },
    runnerSeenAt: timeOf(seen),
    repositories: row.repositories,
    log: { bytes: row.log_kept, truncated: row.log_kept >= limits.runLogBytes - 3 },
    mayCancel: mayStart && isLive(row.state),
    mayRetry: mayStart && !isLive(row.state) && row.newest === row.id && row.agents === 1,
  };
}

// What is kept of a log ends with a whole character: up to three bytes before its bound.
const select = `select ${entryColumns}, r.claimed_at, r.heartbeat_at, r.deadline_at, r.progress, r.summary, r.log_kept,
    o.run_credits, (select credits from organisation limit 1) as balance,
    (select cast(count(*) as integer) from repository where project_id = p.id and unbound_at is null) as repositories,
    (select cast(count(*) as integer) from member
     where id = t.assignee_id and role = 'agent' and t.archived_at is null) as agents,
    (select max(id) from agent_run where ticket_id = t.id) as newest
  from ${entryTables} where r.id = $1 and ${entryVisible}`;

function timeOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

export interface RunView {
  id: string;
  state: string;
  reason: string | null;
}

interface NewestRow extends Row {
  id: string;
  state: string;
  reason: string | null;
  project_id: string | null;
}

/** The newest run of a ticket. */
export async function latestRun(store: Reader, ticketId: string, now: number): Promise<RunView | undefined> {
  const run = await store.one<NewestRow>(
    "select id, state, reason, project_id from agent_run where ticket_id = $1 order by id desc limit 1",
    [ticketId],
  );
  return run && { id: run.id, state: run.state, reason: reasonOf(run, await runnerReach(store, now)) };
}
