import type { RunLease } from "../../openapi/schema/runner.ts";
import { type Context, Refusal } from "../core/context.ts";
import { type LeaseInput, leasedRunStep } from "./leased-run.ts";
import { isHeld } from "./run.ts";
import { runChanged } from "./run-changed.ts";
import { runLimits } from "./run-limits.ts";
import { changeStep, transitionStep } from "./transition.ts";

interface HeartbeatInput extends LeaseInput {
  /** What the runner is doing, for people. */
  progress?: string | undefined;
  /** Credits that the attempt has used so far. */
  creditsUsed?: number | undefined;
}

/** Renews the lease of a run for 90 s. The first heartbeat sets the run from `claimed` to `running`. */
export async function heartbeat({ ctx, input }: { ctx: Context; input: HeartbeatInput }): Promise<RunLease> {
  const now = ctx.now();
  const moment = { now, newId: ctx.newId };
  const run = await ctx.store.write(function* (tx) {
    const run = yield* leasedRunStep(tx, input);
    if (run.state === "cancelled" && run.lease_until !== null) {
      const used = Math.max(run.credits_used, input.creditsUsed ?? 0);
      // The run is cancelled. Its lease is not renewed, so that a runner which does not stop cannot hold credits for ever.
      return yield* changeStep(tx, run, { heartbeat_at: now, credits_used: used });
    }
    // The lease has ended, although no other runner has claimed the run yet.
    if (!isHeld(run.state) || (run.lease_until ?? 0) <= now) throw new Refusal("lease_lost");
    const change = {
      lease_until: now + runLimits.leaseMilliseconds,
      heartbeat_at: now,
      ...(input.progress === undefined ? {} : { progress: input.progress }),
      ...(input.creditsUsed === undefined ? {} : { credits_used: Math.max(run.credits_used, input.creditsUsed) }),
    };
    if (run.state === "running") return yield* changeStep(tx, run, change);
    const started = { ...change, state: "running", started_at: run.started_at ?? now } as const;
    const detail = { runner: run.runner_name, attempt: run.attempt };
    return yield* transitionStep(tx, run, { change: started, activity: "run_started", detail }, moment);
  });
  await runChanged(ctx, run.id);
  return {
    cancelRequested: run.state === "cancelled",
    creditsLeft: run.credits_held === 0 ? null : Math.max(0, run.credits_held - run.credits_used),
  };
}
