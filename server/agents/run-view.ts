import type { Row } from "../core/store.ts";
import { type HasOnlineRunner, reasonOf } from "./online-runners.ts";
import type { RunRow, RunState } from "./run.ts";

/** A run as lists show it: with the card, project and board that it works for. Times are ISO 8601. */
export interface RunView {
  id: string;
  state: RunState;
  /** Why the run waits or has ended as it did, such as `no_runner`; null when there is nothing to say. */
  reason: string | null;
  attempt: number;
  branch: string;
  queuedAt: string;
  startedAt: string | null;
  endedAt: string | null;
  /** Name of the machine that claimed the run last. */
  runner: string | null;
  creditsHeld: number;
  creditsUsed: number;
  pullRequestUrl: string | null;
  repository: { id: string; url: string } | null;
  card: { id: string; title: string };
  project: { id: string; name: string };
  board: { id: string; name: string };
}

/** The columns of `runViewColumns`. */
export interface RunViewRow
  extends Row,
    Pick<
      RunRow,
      | "id"
      | "state"
      | "reason"
      | "attempt"
      | "branch"
      | "queued_at"
      | "started_at"
      | "ended_at"
      | "runner_name"
      | "credits_held"
      | "credits_used"
      | "pull_request_url"
      | "repository_id"
      | "ticket_id"
    > {
  url: string | null;
  title: string;
  board_id: string;
  board_name: string;
  project_id: string;
  project_name: string;
}

export const runViewColumns = `r.id, r.state, r.reason, r.attempt, r.branch, r.queued_at, r.started_at, r.ended_at,
  r.runner_name, r.credits_held, r.credits_used, r.pull_request_url, r.repository_id, o.url, r.ticket_id, t.title,
  b.id as board_id, b.name as board_name, p.id as project_id, p.name as project_name`;

/** Where `runViewColumns` come from; the run is `r`, its ticket `t`, board `b`, project `p`, repository `o`. */
export const runViewTables = `agent_run r join ticket t on t.id = r.ticket_id join board_column c on c.id = t.column_id
  join board b on b.id = c.board_id join project p on p.id = b.project_id
  left join repository o on o.id = r.repository_id`;

/** Leaves out runs of deleted tickets, boards and projects. */
export const runViewVisible = "t.deleted_at is null and b.deleted_at is null and p.deleted_at is null";

export function presentRun(row: RunViewRow, hasOnlineRunner: HasOnlineRunner): RunView {
  return {
    id: row.id,
    state: row.state,
    reason: reasonOf(row, hasOnlineRunner),
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
