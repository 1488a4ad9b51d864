import { activityStep } from "../activity/activity.ts";
import type { Actor } from "../core/context.ts";
import type { Row, Step, Tx, Value } from "../core/store.ts";
import { enqueueStep, subscribersStep } from "../webhooks/deliveries/enqueue.ts";
import type { RunRow } from "./run.ts";
import { runMessage } from "./run-message.ts";

export type RunActivity =
  | "run_queued"
  | "run_waiting"
  | "run_claimed"
  | "run_started"
  | "run_pull_request"
  | "run_succeeded"
  | "run_failed"
  | "run_cancelled"
  | "run_expired";

export interface Transition {
  /** New values of columns of `agent_run`. */
  change: Partial<Omit<RunRow, "id">>;
  activity: RunActivity;
  detail?: Record<string, unknown>;
  /** Who changed the run, for the activity. Default: the agent. */
  actor?: Actor;
}

/** Time and ids for the steps of a run. They are made outside of the transaction, which may be run again. */
export interface Moment {
  now: number;
  newId: () => string;
}

/**
 * Changes the state of a run: updates the row, adds an entry to the ticket's activity, and enqueues a message for
 * subscribers of `agent_run.updated`, all in the caller's transaction. Every change of state goes through here.
 */
export function* transitionStep(tx: Tx, run: RunRow, transition: Transition, moment: Moment): Step<RunRow> {
  const changed = yield* changeStep(tx, run, transition.change);
  const detail = { runId: run.id, ...transition.detail };
  const actor = transition.actor ?? (yield* agentStep(tx, run.agent_id));
  yield* activityStep(tx, run.ticket_id, { at: moment.now, actor, kind: transition.activity, detail });
  yield* enqueueRunMessageStep(tx, changed, moment);
  return changed;
}

/** Updates columns of a run without activity and messages, as a heartbeat does. */
export function* changeStep(tx: Tx, run: RunRow, change: Partial<Omit<RunRow, "id">>): Step<RunRow> {
  const names = Object.keys(change);
  if (names.length > 0) {
    const values = Object.values(change) as Value[];
    yield* tx.run(`update agent_run set ${names.map((name, i) => `${name} = $${i + 2}`).join(", ")} where id = $1`, [
      run.id,
      ...values,
    ]);
  }
  return { ...run, ...change } as RunRow;
}

/** Enqueues a message for subscribers that name the type `agent_run.updated`. */
function* enqueueRunMessageStep(tx: Tx, run: RunRow, moment: Moment): Step<void> {
  const topic = { projectId: run.project_id, type: "agent_run.updated", reportType: null } as const;
  const subscribers = yield* subscribersStep(tx, topic);
  if (subscribers.length === 0) return;
  yield* enqueueStep(tx, runMessage(moment.newId(), run, moment.now), subscribers, moment);
}

/** The agent as an actor, with its current name. */
export function* agentStep(tx: Tx, id: string): Step<Extract<Actor, { kind: "agent" }>> {
  const agent = yield* tx.one<Row & { name: string }>("select name from member where id in ($1)", [id]);
  return { kind: "agent", id, name: agent?.name ?? "Agent" };
}
