import { type Context, Refusal, requireAdmin } from "../access/context.ts";
import { log } from "../ops/log.ts";
import { replayDead } from "./replay.ts";

/** How a replay of many deliveries goes; null when none was begun since the server started. */
export interface ReplayProgress {
  state: "running" | "done" | "stopped" | "failed";
  since: string;
  startedAt: string;
  replayed: number;
}

/** Who asked to stop is told by the next step, between two transactions. */
class Stopped extends Error {}

/** Replays that go on after their call was answered, one of a subscriber at a time. */
export class Replays {
  readonly #progress = new Map<string, ReplayProgress>();

  start({ ctx, input }: { ctx: Context; input: { subscriberId: string; since: number } }): ReplayProgress {
    requireAdmin(ctx);
    const { subscriberId, since } = input;
    if (this.#progress.get(subscriberId)?.state === "running") {
      throw new Refusal("conflict", "A replay of this subscriber is under way.");
    }
    const progress: ReplayProgress = {
      state: "running",
      since: new Date(since).toISOString(),
      startedAt: new Date(ctx.now()).toISOString(),
      replayed: 0,
    };
    this.#progress.set(subscriberId, progress);
    const tell = () => ctx.changed?.({ kind: "delivery", id: subscriberId, in: subscriberId });
    const step = (replayed: number) => {
      progress.replayed = replayed;
      tell();
      if (progress.state === "stopped") throw new Stopped();
    };
    void replayDead({ ctx, input: { subscriberId, since, progress: step } })
      .then(() => {
        progress.state = "done";
      })
      .catch((error) => {
        if (error instanceof Stopped) return;
        progress.state = "failed";
        log.warn("a replay has failed", { subscriber: subscriberId, error });
      })
      .finally(tell);
    return progress;
  }

  progressOf({ ctx, input }: { ctx: Context; input: { subscriberId: string } }): ReplayProgress | null {
    requireAdmin(ctx);
    return this.#progress.get(input.subscriberId) ?? null;
  }

  /** What was replayed until now stays so. */
  stop({ ctx, input }: { ctx: Context; input: { subscriberId: string } }): ReplayProgress | null {
    requireAdmin(ctx);
    const progress = this.#progress.get(input.subscriberId);
    if (progress?.state === "running") progress.state = "stopped";
    return progress ?? null;
  }
}
