import type { DropReason, Drops } from "./drops.ts";

/** What became of the reports of one client. `captured` is always `sent + queued + ` the sum of `dropped`. */
export interface Stats {
  /** Given to `capture` and `submit`, or found in the store. */
  captured: number;
  /** The server has them. */
  sent: number;
  /** Of those sent, the ones that the server had already, because an answer was lost. */
  duplicates: number;
  /** On their way, or waiting. */
  queued: number;
  /** Given up, by reason. */
  dropped: Drops;
}

/** Counts reports, and remembers the drops that no envelope has told of yet. */
export class Tally {
  readonly stats: Stats = { captured: 0, sent: 0, duplicates: 0, queued: 0, dropped: {} };
  #untold: Drops = {};
  #wake = () => {};
  #idle: Promise<void> | undefined;

  /** Counts one more, and gives the drops that its envelope is to tell of. */
  captured(): Drops {
    const told = this.#untold;
    this.#untold = {};
    this.stats.captured++;
    this.stats.queued++;
    return told;
  }

  sent(duplicate?: boolean) {
    this.stats.sent++;
    if (duplicate) this.stats.duplicates++;
    this.#end();
  }

  /** `told` is what the dropped report would have told of: the next one does. */
  dropped(reason: DropReason, told: Drops) {
    add(this.stats.dropped, { [reason]: 1 });
    add(this.#untold, { [reason]: 1 });
    add(this.#untold, told);
    this.#end();
  }

  /** Ends when nothing is queued any more. */
  async idle(): Promise<void> {
    if (!this.stats.queued) return;
    this.#idle ??= new Promise((resolve) => {
      this.#wake = resolve;
    });
    return this.#idle;
  }

  #end() {
    if (--this.stats.queued) return;
    this.#idle = undefined;
    this.#wake();
  }
}

function add(to: Drops, more: Drops) {
  for (const [reason, count] of Object.entries(more) as [DropReason, number][]) to[reason] = (to[reason] ?? 0) + count;
}
