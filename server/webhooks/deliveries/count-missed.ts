import type { Context } from "../../core/context.ts";
import { interestOf, isMissed, lastEvent, type MissedRow, type Place, projectsOf, sliceQuery } from "./missed.ts";

/** Reports that are read at most to count the missed ones. */
const lookedAtMax = 100_000;
/** Reports that one query reads, so that other work runs in between. */
const limit = 2_000;

/**
 * Counts the reports that a subscriber has missed since a time (epoch milliseconds), among the first 100,000 received.
 */
export async function countMissed({
  ctx,
  input: { subscriberId, since },
}: {
  ctx: Context;
  input: { subscriberId: string; since: number };
}): Promise<{ count: number; more: boolean }> {
  const interest = await interestOf(ctx, subscriberId, since);
  const until = await lastEvent(ctx.store);
  let [count, lookedAt] = [0, 0];
  for (const projectId of await projectsOf(ctx.store, interest)) {
    let after: Place = [since, ""];
    for (;;) {
      const rows = await ctx.store.all<MissedRow>(...sliceQuery({ projectId, subscriberId, after, until, limit }));
      count += rows.filter((row) => isMissed(row, interest)).length;
      lookedAt += rows.length;
      const last = rows.at(-1);
      if (!last || rows.length < limit) break;
      if (lookedAt >= lookedAtMax) return { count, more: true };
      after = [last.received_at, last.id];
    }
  }
  return { count, more: false };
}
