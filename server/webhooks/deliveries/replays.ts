import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import { log } from "../../core/log.ts";
import type { Links } from "../../files/links.ts";
import { replayDead } from "./replay.ts";
import type { ReplayJobs, ReplayProgress } from "./replay-jobs.ts";
import { sendMissed } from "./send-missed.ts";

/** Thrown by the next step of a replay that was stopped, between two transactions. */
class Stopped extends Error {}

type Send = (input: {
  subscriberId: string;
  since: number;
  progress: (done: number) => Promise<void>;
}) => Promise<unknown>;

/** Replays that run on after their call was answered, at most one for each subscriber. */
export class Replays {
  readonly #jobs: ReplayJobs;

  constructor(jobs: ReplayJobs) {
    this.#jobs = jobs;
  }

  /** Replays deliveries that were given up. */
  start({ ctx, input }: { ctx: Context; input: { subscriberId: string; since: number } }): Promise<ReplayProgress> {
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
  }): Promise<ReplayProgress> {
    return this.#start(ctx, { ...input, of: "missed" }, (input) => sendMissed({ ctx, tools, input }));
  }

  async requireNone(subscriberId: string): Promise<void> {
    if ((await this.#jobs.find(subscriberId))?.state === "running") throw underWay();
  }

  async #start(
    ctx: Context,
    { subscriberId, since, of }: { subscriberId: string; since: number; of: ReplayProgress["of"] },
    send: Send,
  ): Promise<ReplayProgress> {
    requireAdmin(ctx);
    const progress: ReplayProgress = {
      of,
      state: "running",
      since: new Date(since).toISOString(),
      startedAt: new Date(ctx.now()).toISOString(),
      replayed: 0,
    };
    const id = await this.#jobs.begin(subscriberId, progress);
    if (id === undefined) throw underWay();
    const tell = () => ctx.changed?.({ kind: "delivery", id: subscriberId, in: subscriberId });
    const step = async (replayed: number) => {
      const goesOn = await this.#jobs.advance(subscriberId, id, replayed);
      tell();
      if (!goesOn) throw new Stopped();
    };
    void send({ subscriberId, since, progress: step })
      .then(() => this.#jobs.end(subscriberId, id, "done"))
      .catch(async (error) => {
        if (error instanceof Stopped) return;
        log.warn("a replay has failed", { subscriber: subscriberId, error });
        await this.#jobs.end(subscriberId, id, "failed");
      })
      .catch((error) => log.warn("the end of a replay could not be written down", { subscriber: subscriberId, error }))
      .finally(tell);
    return progress;
  }

  /** Null when none was begun that is still remembered. */
  async progressOf({ ctx, input }: { ctx: Context; input: { subscriberId: string } }): Promise<ReplayProgress | null> {
    requireAdmin(ctx);
    return (await this.#jobs.find(input.subscriberId)) ?? null;
  }

  /** Stops a replay. Deliveries that were replayed by then stay replayed. */
  async stop({ ctx, input }: { ctx: Context; input: { subscriberId: string } }): Promise<ReplayProgress | null> {
    requireAdmin(ctx);
    await this.#jobs.stop(input.subscriberId);
    return this.progressOf({ ctx, input });
  }
}

function underWay(): Refusal {
  return new Refusal("conflict", "A replay of this subscriber is under way.");
}
