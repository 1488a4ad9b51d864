import { audit } from "../../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import { inBatches } from "../../core/in-batches.ts";
import { subscriberStep } from "../subscribers/subscriber-rows.ts";

/** Rows that one transaction changes, so that other writes never wait long. */
const chunk = 500;

/**
 * Sends an ended delivery again, through the whole schedule and with the same `webhook-id`. A delivery that is still
 * waiting becomes due now. The state and breaker of the subscriber apply as to any other delivery.
 */
export async function replayDelivery({
  ctx,
  input: { subscriberId, id },
}: {
  ctx: Context;
  input: { subscriberId: string; id: string };
}): Promise<{ replayed: number }> {
  requireAdmin(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  return ctx.store.write(function* (tx) {
    yield* subscriberStep(tx, subscriberId);
    const delivery = yield* tx.one<{ state: string }>(
      "select state from delivery where id = $1 and subscriber_id = $2",
      [id, subscriberId],
    );
    if (!delivery) {
      throw new Refusal("not_found", `there is no delivery ${id} of this subscriber; deliveries go with their report`);
    }
    if (delivery.state === "leased") throw new Refusal("conflict", "this delivery is under way");
    yield* tx.run(
      `update delivery set state = 'waiting', next_at = $2, ended_at = null,
         tries = case when state = 'waiting' then tries else 0 end
       where id = $1`,
      [id, now],
    );
    yield* audit(tx, ctx, auditId, "subscriber.replay", `subscriber ${subscriberId}`, { to: { delivery: id } });
    return { replayed: 1 };
  });
}

/** Sends every delivery again that was given up at or after `since` (epoch milliseconds). */
export async function replayDead({
  ctx,
  input: { subscriberId, since, progress },
}: {
  ctx: Context;
  input: { subscriberId: string; since: number; progress?: (replayed: number) => void | Promise<void> };
}): Promise<{ replayed: number }> {
  requireAdmin(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  await ctx.store.write(function* (tx) {
    yield* subscriberStep(tx, subscriberId);
    const to = { since: new Date(since).toISOString() };
    yield* audit(tx, ctx, auditId, "subscriber.replay", `subscriber ${subscriberId}`, { to });
  });
  const step = () =>
    ctx.store.write(function* (tx) {
      // Deliveries that are given up meanwhile were just tried, so they are left out.
      const replayed = yield* tx.all(
        `update delivery set state = 'waiting', next_at = $3, ended_at = null, tries = 0
         where id in (select id from delivery where subscriber_id in ($1) and state = 'dead'
                        and ended_at >= $2 and ended_at < $3 order by ended_at limit $4)
         returning id`,
        [subscriberId, since, now, chunk],
      );
      return replayed.length;
    });
  return { replayed: await inBatches(step, progress) };
}
