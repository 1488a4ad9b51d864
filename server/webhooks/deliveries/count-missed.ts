import type { Context } from "../../core/context.ts";
import { interestOf, isMissed, lastEvent, type MissedRow, type Place, projectsOf, sliceQuery } from "./missed.ts";

/** At most so many reports are looked at to count the missed ones. */
const lookedAtMax = 100_000;
/** Reports that are read at once, so that other work has its turn between. */
const limit = 2_000;

/** How many reports a subscriber has missed since then (epoch milliseconds), of the first 100,000 that came. */
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
