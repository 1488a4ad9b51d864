import type { Context } from "../core/context.ts";
import type { Cutoff } from "../core/cutoff.ts";
import { Periodic } from "../core/periodic.ts";
import { sweepRuns } from "./sweep-runs.ts";

const lookMilliseconds = 1_000;

/** Gives up runs whose time is over, as long as the server runs. */
export class RunReaper {
  readonly #ctx: Omit<Context, "actor"> & { cutoff: Cutoff };
  readonly #sweeping = new Periodic({
    turn: () => this.#sweep(),
    every: lookMilliseconds,
    failed: "runs whose time is over were not looked for",
  });

  constructor(ctx: Omit<Context, "actor"> & { cutoff: Cutoff }) {
    this.#ctx = ctx;
  }

  start() {
    this.#sweeping.start();
  }

  stop(): Promise<void> {
    return this.#sweeping.stop();
  }

  async #sweep(): Promise<void> {
    // Only a look as long as nothing is due: no write is made for it.
    const now = this.#ctx.now();
    const due = await this.#ctx.store.one(
      `select id from agent_run where lease_until is not null and lease_until <= $1
       union all select id from agent_run
         where deadline_at <= $2 and state in ('queued', 'waiting', 'claimed', 'running') limit 1`,
      [now, this.#ctx.cutoff(0)],
    );
    if (due) await sweepRuns({ ctx: this.#ctx });
  }
}
