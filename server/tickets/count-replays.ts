import type { Step, Tx } from "../core/store.ts";

interface Answered {
  ticketId?: string | undefined;
  replayed: boolean;
  mismatch: boolean;
}

/** Counts on each ticket how often it was the answer of a replay; written with the request log, so that no replay waits. */
export function* countReplaysStep(tx: Tx, entries: readonly Answered[]): Step<void> {
  const counts = new Map<string, { replays: number; mismatches: number }>();
  for (const { ticketId, replayed, mismatch } of entries) {
    if (!replayed || ticketId === undefined) continue;
    const { replays, mismatches } = counts.get(ticketId) ?? { replays: 0, mismatches: 0 };
    counts.set(ticketId, { replays: replays + 1, mismatches: mismatches + (mismatch ? 1 : 0) });
  }
  for (const [id, { replays, mismatches }] of counts) {
    yield* tx.run("update ticket set replays = replays + $2, mismatches = mismatches + $3 where id = $1", [
      id,
      replays,
      mismatches,
    ]);
  }
}
