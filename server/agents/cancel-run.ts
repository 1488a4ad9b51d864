import { audit } from "../core/audit.ts";
import { type Actor, type Context, Refusal, requireMember } from "../core/context.ts";
import type { Step, Tx } from "../core/store.ts";
import { isHeld, type RunRow, visibleRunStep } from "./run.ts";
import { runChanged } from "./run-changed.ts";
import { requireStarterStep } from "./run-starters.ts";
import { type Moment, transitionStep } from "./transition.ts";

/** Cancels a live run. The runner that executes it is told by the answer to its next heartbeat, and then reports the credits it used. */
export async function cancelRun({
  ctx,
  input: { id },
}: {
  ctx: Context;
  input: { id: string };
}): Promise<{ id: string }> {
  requireMember(ctx);
  const moment = { now: ctx.now(), newId: ctx.newId };
  const auditId = ctx.newId();
  await ctx.store.write(function* (tx) {
    yield* requireStarterStep(tx, ctx);
    const run = yield* visibleRunStep(tx, id);
    const ended = yield* cancelRunStep(tx, { ticketId: run.ticket_id, actor: ctx.actor }, moment);
    if (!ended.includes(id)) throw new Refusal("conflict", "this run has ended already");
    yield* audit(tx, ctx, auditId, "run.cancel", `run ${id}`, { from: { state: run.state } });
  });
  await runChanged(ctx, id);
  return { id };
}

/** Cancels the live runs of a card and returns their ids. */
export function* cancelRunStep(
  tx: Tx,
  { ticketId, actor }: { ticketId: string; actor: Actor },
  moment: Moment,
): Step<string[]> {
  const runs = yield* tx.all<RunRow>(
    "select * from agent_run where ticket_id = $1 and state in ('queued', 'waiting', 'claimed', 'running')",
    [ticketId],
  );
  for (const run of runs) {
    const change = {
      state: "cancelled",
      reason: null,
      ended_at: moment.now,
      deadline_at: null,
      progress: null,
      // A runner that holds the run keeps its lease, to report the credits it used; when the lease ends they are released.
      ...(isHeld(run.state) ? {} : { lease_until: null }),
    } as const;
    yield* transitionStep(tx, run, { change, activity: "run_cancelled", actor }, moment);
  }
  return runs.map(({ id }) => id);
}
