import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import { isThere } from "../messages/sealed-columns.ts";

const countedMax = 100_000;

/** How many dead deliveries a replay since a time (epoch milliseconds) would send again; at most 100,000 are counted. */
export async function countDead({
  ctx,
  input: { subscriberId, since },
}: {
  ctx: Context;
  input: { subscriberId: string; since: number };
}): Promise<{ count: number; more: boolean }> {
  requireAdmin(ctx);
  const subscriber = await ctx.store.one(`select id from subscriber where id = $1 and ${isThere("subscriber")}`, [
    subscriberId,
  ]);
  if (!subscriber) throw new Refusal("not_found");
  const row = await ctx.store.one<{ count: number }>(
    `select cast(count(*) as integer) as count from
       (select 1 from delivery where subscriber_id in ($1) and state = 'dead' and ended_at >= $2
        limit ${countedMax + 1}) counted`,
    [subscriberId, since],
  );
  const count = row?.count ?? 0;
  return { count: Math.min(count, countedMax), more: count > countedMax };
}
