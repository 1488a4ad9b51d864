import type { DropReason, Drops } from "./dropped-error.ts";

/** Counts of the reports of one client. `captured` always equals `sent` + `queued` + the sum of `dropped`. */
export interface Stats {
  /** Reports that were given to `capture` and `submit` or found in the store. */
  captured: number;
  /** Reports that the server has confirmed. */
  sent: number;
  /** How many of those sent the server had already, because an earlier answer was lost. */
  duplicates: number;
  /** Reports that wait or are being sent. */
  queued: number;
  /** Reports that were dropped, by reason. */
  dropped: Drops;
}

/** Counts reports. Also keeps the counts of drops that no envelope has carried to the server yet. */
export class StatsCounter {
  readonly stats: Stats = { captured: 0, sent: 0, duplicates: 0, queued: 0, dropped: {} };
  #drops: Drops = {};
  #wake = () => {};
  #idle: Promise<void> | undefined;

  /** Counts a captured report and returns the drops that its envelope is to carry. */
  captured(): Drops {
    const carriedDrops = this.#drops;
    this.#drops = {};
    this.stats.captured++;
    this.stats.queued++;
    return carriedDrops;
  }

  sent(duplicate?: boolean) {
    this.stats.sent++;
    if (duplicate) this.stats.duplicates++;
    this.#end();
  }

  /** Counts a dropped report. The drops that its envelope would have carried go into the next envelope. */
  dropped(reason: DropReason, carriedDrops: Drops) {
    add(this.stats.dropped, { [reason]: 1 });
    add(this.#drops, { [reason]: 1 });
    add(this.#drops, carriedDrops);
    this.#end();
  }

  /** Resolves when no report is queued any more. */
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
