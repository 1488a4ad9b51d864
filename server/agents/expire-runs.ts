import { limits } from "../../openapi/schema/limits.ts";
import type { Context } from "../core/context.ts";
import { cutoffBy } from "../core/cutoff.ts";
import type { Step, Tx } from "../core/store.ts";
import { settleStep } from "./credits.ts";
import { requeueForCreditsStep } from "./requeue.ts";
import { isHeld, type RunRow } from "./run.ts";
import { runChanged } from "./run-changed.ts";
import { runLimits } from "./run-limits.ts";
import { agentStep, changeStep, type Moment, type Transition, transitionStep } from "./transition.ts";

/** Most runs of each kind that one transaction expires. */
const batch = 50;

/**
 * Expires leases that were not renewed, runs that were queued for a day, and runs that take longer than two hours. Then
 * queues runs that waited for the released credits. Returns how many runs changed.
 */
export async function expireRuns({ ctx }: { ctx: Omit<Context, "actor"> }): Promise<number> {
  const moment = { now: ctx.now(), newId: ctx.newId };
  const overdue = (ctx.cutoff ?? cutoffBy(ctx.now))(0);
  const swept = await ctx.store.write(function* (tx) {
    const lost = yield* tx.all<RunRow>(
      "select * from agent_run where lease_until is not null and lease_until <= $1 order by lease_until, id limit $2",
      [moment.now, batch],
    );
    for (const run of lost) yield* leaseExpiredStep(tx, run, moment);
    const late = yield* tx.all<RunRow>(
      `select * from agent_run where deadline_at <= $1 and state in ('queued', 'waiting', 'claimed', 'running')
       order by deadline_at, id limit $2`,
      [overdue, batch],
    );
    for (const run of late) yield* deadlinePassedStep(tx, run, moment);
    return [...lost, ...late].map(({ id }) => id).concat(yield* requeueForCreditsStep(tx, moment));
  });
  for (const id of swept) await runChanged(ctx, id);
  return swept.length;
}

/**
 * The lease was not renewed, so the runner has vanished. Its credits are released; the run is queued for another attempt,
 * or has failed after its last one. A cancelled run only loses its lease, and pays what its last heartbeat reported.
 */
function* leaseExpiredStep(tx: Tx, run: RunRow, moment: Moment): Step<void> {
  const used = run.state === "cancelled" ? run.credits_used : 0;
  yield* returnCreditsStep(tx, run, used, moment);
  const free = { lease_until: null, credits_held: 0, progress: null };
  if (!isHeld(run.state)) {
    yield* changeStep(tx, run, free);
    return;
  }
  const detail = { runner: run.runner_name, attempt: run.attempt, reason: "runner_vanished" };
  const transition: Transition =
    run.attempt < limits.runAttempts
      ? {
          change: {
            ...free,
            state: "queued",
            reason: null,
            attempt: run.attempt + 1,
            claimed_at: null,
            deadline_at: moment.now + runLimits.queueMilliseconds,
          },
          activity: "run_queued",
          detail,
        }
      : {
          change: { ...free, state: "failed", reason: "runner_vanished", ended_at: moment.now, deadline_at: null },
          activity: "run_failed",
          detail,
        };
  yield* transitionStep(tx, run, transition, moment);
}

/** Ends a run whose deadline has passed (a day in the queue, two hours under way) and settles the credits used so far. */
function* deadlinePassedStep(tx: Tx, run: RunRow, moment: Moment): Step<void> {
  const reason = isHeld(run.state) ? "run_limit" : "queue_limit";
  yield* returnCreditsStep(tx, run, run.credits_used, moment);
  const change = {
    state: "expired",
    reason,
    ended_at: moment.now,
    deadline_at: null,
    lease_until: null,
    progress: null,
  } as const;
  yield* transitionStep(tx, run, { change, activity: "run_expired", detail: { attempt: run.attempt, reason } }, moment);
}

function* returnCreditsStep(tx: Tx, run: RunRow, used: number, { now, newId }: Moment): Step<void> {
  const agent = yield* agentStep(tx, run.agent_id);
  yield* settleStep(tx, run, used, { at: now, newId, actorName: agent.name });
}
