import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import { log } from "../../core/log.ts";
import type { Links } from "../../files/links.ts";
import { replayDead } from "./replay.ts";
import { sendMissed } from "./send-missed.ts";

/** The progress of a replay of many deliveries; null when none was begun since the server started. */
interface ReplayProgress {
  /**
   * What the replay sends: deliveries that were given up, or reports that were missed while the subscriber was
   * disabled.
   */
  of: "dead" | "missed";
  state: "running" | "done" | "stopped" | "failed";
  since: string;
  startedAt: string;
  replayed: number;
}

/** Thrown by the next step of a replay that was stopped, between two transactions. */
class Stopped extends Error {}

type Send = (input: { subscriberId: string; since: number; progress: (done: number) => void }) => Promise<unknown>;

/** Ended replays that are remembered, also of subscribers that were removed since. */
const endedMax = 200;

/** Replays that run on after their call was answered, at most one for each subscriber. */
export class Replays {
  readonly #progress = new Map<string, ReplayProgress>();

  /** Replays deliveries that were given up. */
  start({ ctx, input }: { ctx: Context; input: { subscriberId: string; since: number } }): ReplayProgress {
    return this.#start(ctx, { ...input, of: "dead" }, (input) => replayDead({ ctx, input }));
  }

  /** Sends reports that were missed. */
  startMissed({
    ctx,
    tools,
    input,
  }: {
    ctx: Context;
    tools: { links: Links };
    input: { subscriberId: string; since: number };
  }): ReplayProgress {
    return this.#start(ctx, { ...input, of: "missed" }, (input) => sendMissed({ ctx, tools, input }));
  }

  requireNone(subscriberId: string) {
    if (this.#progress.get(subscriberId)?.state === "running") {
      throw new Refusal("conflict", "A replay of this subscriber is under way.");
    }
  }

  #start(
    ctx: Context,
    { subscriberId, since, of }: { subscriberId: string; since: number; of: ReplayProgress["of"] },
    send: Send,
  ): ReplayProgress {
    requireAdmin(ctx);
    this.requireNone(subscriberId);
    const progress: ReplayProgress = {
      of,
      state: "running",
      since: new Date(since).toISOString(),
      startedAt: new Date(ctx.now()).toISOString(),
      replayed: 0,
    };
    // Inserted again, so that the replay is the last one in the Map.
    this.#progress.delete(subscriberId);
    this.#progress.set(subscriberId, progress);
    this.#forgetOldest();
    const tell = () => ctx.changed?.({ kind: "delivery", id: subscriberId, in: subscriberId });
    const step = (replayed: number) => {
      progress.replayed = replayed;
      tell();
      if (progress.state === "stopped") throw new Stopped();
    };
    void send({ subscriberId, since, progress: step })
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

  #forgetOldest() {
    const ended = [...this.#progress].filter(([, { state }]) => state !== "running");
    for (const [id] of ended.slice(0, Math.max(0, ended.length - endedMax))) this.#progress.delete(id);
  }

  progressOf({ ctx, input }: { ctx: Context; input: { subscriberId: string } }): ReplayProgress | null {
    requireAdmin(ctx);
    return this.#progress.get(input.subscriberId) ?? null;
  }

  /** Stops a replay. Deliveries that were replayed by then stay replayed. */
  stop({ ctx, input }: { ctx: Context; input: { subscriberId: string } }): ReplayProgress | null {
    requireAdmin(ctx);
    const progress = this.#progress.get(input.subscriberId);
    if (progress?.state === "running") progress.state = "stopped";
    return progress ?? null;
  }
}
