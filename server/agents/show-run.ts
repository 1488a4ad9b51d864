import { limits } from "../../openapi/schema/limits.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import { onlineRunners, runnerSeenAt } from "./online-runners.ts";
import { isLive, type RunRow } from "./run.ts";
import { mayStartRuns } from "./run-starters.ts";
import {
  presentRun,
  type RunView,
  type RunViewRow,
  runViewColumns,
  runViewTables,
  runViewVisible,
} from "./run-view.ts";

/** A run as its page shows it, without the text of its log. */
export interface RunDetail extends RunView {
  /** How many attempts a run has at most. */
  attempts: number;
  claimedAt: string | null;
  heartbeatAt: string | null;
  /** When the run expires: a day after it was queued, or two hours after it was claimed. */
  deadlineAt: string | null;
  /** What the runner is doing, in its own words. */
  progress: string | null;
  /** Markdown. */
  summary: string | null;
  /** Credits that a run of this repository holds, and the organisation's balance; null while credits are not limited. */
  credits: { needed: number; left: number } | null;
  /** When a machine that may claim the run was last seen. */
  runnerSeenAt: string | null;
  /** How many repositories are bound to the project. */
  repositories: number;
  log: { bytes: number; truncated: boolean };
  /** Whether the member who asks may cancel the run. */
  mayCancel: boolean;
  /** Whether the member who asks may retry the run: only the newest run of a card that is still assigned to the agent. */
  mayRetry: boolean;
}

interface RunDetailRow
  extends RunViewRow,
    Pick<RunRow, "claimed_at" | "heartbeat_at" | "deadline_at" | "progress" | "summary" | "log_kept"> {
  run_credits: number | null;
  balance: number | null;
  repositories: number;
  agents: number;
  newest: string;
}

export async function showRun({ ctx, input: { id } }: { ctx: Context; input: { id: string } }): Promise<RunDetail> {
  requireMember(ctx);
  const { store } = ctx;
  const row = await store.one<RunDetailRow>(select, [id]);
  if (!row) throw new Refusal("not_found", `there is no run ${id}`);
  const seen = await runnerSeenAt(store, row.project_id);
  const mayStart = await mayStartRuns(store, ctx);
  return {
    ...presentRun(row, await onlineRunners(store, ctx.now())),
    attempts: limits.runAttempts,
    claimedAt: timeOf(row.claimed_at),
    heartbeatAt: timeOf(row.heartbeat_at),
    deadlineAt: timeOf(row.deadline_at),
    progress: row.progress,
    summary: row.summary,
    credits: row.balance === null ? null : { needed: row.run_credits ?? 0, left: row.balance },
    runnerSeenAt: timeOf(seen),
    repositories: row.repositories,
    // A log is cut at the end of a character, so a full one may lack up to three bytes of the limit.
    log: { bytes: row.log_kept, truncated: row.log_kept >= limits.runLogBytes - 3 },
    mayCancel: mayStart && isLive(row.state),
    mayRetry: mayStart && !isLive(row.state) && row.newest === row.id && row.agents === 1,
  };
}

const select = `select ${runViewColumns}, r.claimed_at, r.heartbeat_at, r.deadline_at, r.progress, r.summary, r.log_kept,
    o.run_credits, (select credits from organisation limit 1) as balance,
    (select cast(count(*) as integer) from repository where project_id = p.id and unbound_at is null) as repositories,
    (select cast(count(*) as integer) from member
     where id = t.assignee_id and role = 'agent' and t.archived_at is null) as agents,
    (select max(id) from agent_run where ticket_id = t.id) as newest
  from ${runViewTables} where r.id = $1 and ${runViewVisible}`;

function timeOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
