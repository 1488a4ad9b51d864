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

export type Tally = ReturnType<typeof createTally>;

/** Counts reports. Also keeps the counts of drops that no envelope has carried to the server yet. */
export function createTally() {
  const stats: Stats = { captured: 0, sent: 0, duplicates: 0, queued: 0, dropped: {} };
  let drops: Drops = {};
  let wakers: (() => void)[] = [];

  const end = () => {
    if (--stats.queued) return;
    for (const wake of wakers) wake();
    wakers = [];
  };

  return {
    stats,

    /** Counts a captured report and returns the drops that its envelope is to carry. */
    captured(): Drops {
      const carriedDrops = drops;
      drops = {};
      stats.captured++;
      stats.queued++;
      return carriedDrops;
    },

    sent(duplicate?: boolean) {
      stats.sent++;
      if (duplicate) stats.duplicates++;
      end();
    },

    /** Counts a dropped report. The drops that its envelope would have carried go into the next envelope. */
    dropped(reason: DropReason, carriedDrops: Drops) {
      const one = { [reason]: 1 };
      add(stats.dropped, one);
      add(drops, one);
      add(drops, carriedDrops);
      end();
    },

    /** Resolves when no report is queued any more. */
    _idle: () =>
      new Promise<void>((resolve) => {
        if (stats.queued) wakers.push(resolve);
        else resolve();
      }),
  };
}

function add(to: Drops, more: Drops) {
  for (const reason in more)
    to[reason as DropReason] = (to[reason as DropReason] ?? 0) + (more[reason as DropReason] ?? 0);
}
