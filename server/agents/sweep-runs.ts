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

/** In one transaction. */
const batch = 50;

/** Gives up what nobody takes, what nobody works on any more, and what takes too long; returns how many. */
export async function sweepRuns({ ctx }: { ctx: Omit<Context, "actor"> }): Promise<number> {
  const moment = { now: ctx.now(), newId: ctx.newId };
  const overdue = (ctx.cutoff ?? cutoffBy(ctx.now))(0);
  const swept = await ctx.store.write(function* (tx) {
    const lost = yield* tx.all<RunRow>(
      "select * from agent_run where lease_until is not null and lease_until <= $1 order by lease_until limit $2",
      [moment.now, batch],
    );
    for (const run of lost) yield* loseStep(tx, run, moment);
    const late = yield* tx.all<RunRow>(
      `select * from agent_run where deadline_at <= $1 and state in ('queued', 'waiting', 'claimed', 'running')
       order by deadline_at limit $2`,
      [overdue, batch],
    );
    for (const run of late) yield* expireStep(tx, run, moment);
    return [...lost, ...late].map(({ id }) => id).concat(yield* requeueForCreditsStep(tx, moment));
  });
  for (const id of swept) await runChanged(ctx, id);
  return swept.length;
}

/** The runner vanished. What it held goes back whole; the run is queued once more, or has failed. */
function* loseStep(tx: Tx, run: RunRow, moment: Moment): Step<void> {
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

/** In the queue for a day, or under way for two hours: what was used by then is settled. */
function* expireStep(tx: Tx, run: RunRow, moment: Moment): Step<void> {
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
