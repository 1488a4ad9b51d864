import { type RunState, runStates } from "../../openapi/schema/runner.ts";
import { Refusal } from "../core/context.ts";
import type { Row, Step, Tx } from "../core/store.ts";

/** States of a run that has not ended: a ticket has at most one such run. */
export const liveStates = ["queued", "waiting", "claimed", "running"] as const satisfies readonly RunState[];

export function isLive(state: RunState): boolean {
  return (liveStates as readonly RunState[]).includes(state);
}

/** Whether a runner has claimed the run and not completed it. */
export function isHeld(state: RunState): boolean {
  return state === "claimed" || state === "running";
}

/** A row of `agent_run`. Times are epoch milliseconds. */
export interface RunRow extends Row {
  id: string;
  ticket_id: string;
  project_id: string;
  agent_id: string;
  repository_id: string | null;
  state: RunState;
  reason: string | null;
  attempt: number;
  branch: string;
  queued_at: number;
  started_at: number | null;
  ended_at: number | null;
  lease: string | null;
  lease_until: number | null;
  claim_id: string | null;
  runner_name: string | null;
  runner_token_id: string | null;
  claimed_at: number | null;
  heartbeat_at: number | null;
  deadline_at: number | null;
  progress: string | null;
  summary: string | null;
  pull_request_url: string | null;
  credits_held: number;
  credits_used: number;
  log_length: number;
  log_kept: number;
}

/** Reads a run whose project and board are not deleted; throws `not_found` otherwise. */
export function* visibleRunStep(tx: Tx, id: string): Step<RunRow> {
  const run = yield* tx.one<RunRow>(
    `select r.* from agent_run r join ticket t on t.id = r.ticket_id join board_column c on c.id = t.column_id
       join board b on b.id = c.board_id join project p on p.id = b.project_id
     where r.id in ($1) and b.deleted_at is null and p.deleted_at is null`,
    [id],
  );
  if (!run) throw new Refusal("not_found", `there is no run ${id}`);
  return run;
}

export { type RunState, runStates };
