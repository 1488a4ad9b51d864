import type { Context } from "../core/context.ts";
import type { Cutoff } from "../core/cutoff.ts";
import { Periodic } from "../core/periodic.ts";
import { expireRuns } from "./expire-runs.ts";

const checkMilliseconds = 1_000;

/** While the server runs: expires leases and runs whose time is over, by a check each second. */
export class RunReaper {
  readonly #ctx: Omit<Context, "actor"> & { cutoff: Cutoff };
  readonly #periodic = new Periodic({
    turn: () => this.#expireDue(),
    every: checkMilliseconds,
    failed: "runs whose time is over were not looked for",
  });

  constructor(ctx: Omit<Context, "actor"> & { cutoff: Cutoff }) {
    this.#ctx = ctx;
  }

  start() {
    this.#periodic.start();
  }

  stop(): Promise<void> {
    return this.#periodic.stop();
  }

  async #expireDue(): Promise<void> {
    // This read keeps the check from starting a write transaction each second while nothing is due.
    const now = this.#ctx.now();
    const due = await this.#ctx.store.one(
      `select id from agent_run where lease_until is not null and lease_until <= $1
       union all select id from agent_run
         where deadline_at <= $2 and state in ('queued', 'waiting', 'claimed', 'running') limit 1`,
      [now, this.#ctx.cutoff(0)],
    );
    if (due) await expireRuns({ ctx: this.#ctx });
  }
}
