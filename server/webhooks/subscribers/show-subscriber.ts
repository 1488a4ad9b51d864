import { type Context, requireAdmin } from "../../core/context.ts";
import { fingerprintOf, hashOf } from "../../core/credential.ts";
import { isoTime } from "../../core/iso-time.ts";
import type { Sealing } from "../../core/sealing.ts";
import { type Hour, hourlyOutcomesOf } from "../attempts/hourly-outcomes.ts";
import { type LastAttempt, lastAttemptOf } from "../attempts/last-attempt.ts";
import { isLost, secretAbout } from "../messages/sealed-columns.ts";
import { hopelessMs } from "./breaker.ts";
import { countedMax, countedSubscriber } from "./subscriber-rows.ts";
import { presentSubscriber, type SubscriberView } from "./subscriber-view.ts";

interface ShownSubscriber extends SubscriberView {
  /** The fingerprint of the secret; null when the secret is lost. */
  fingerprint: string | null;
  /** The time of the next attempt while the subscriber backs off. */
  nextProbeAt: string | null;
  /** The time at which the subscriber is disabled unless an attempt succeeds before. */
  disabledAt: string | null;
  pausedBy: { name: string; at: string } | null;
  hours: Hour[];
  /** Null before the first attempt, and when its delivery was deleted. */
  last: LastAttempt | null;
  /** The time at which the oldest waiting delivery was made; at most 10,000 deliveries are read for it. */
  oldestWaitingAt: string | null;
  /** The earliest time of the next attempt; null while nothing is sent. */
  nextWaitingAt: string | null;
}

/** Shows everything about one subscriber except its secret and the values of its headers. */
export async function showSubscriber({
  ctx,
  tools: { sealing },
  input: { id },
}: {
  ctx: Context;
  tools: { sealing: Sealing };
  input: { id: string };
}): Promise<ShownSubscriber> {
  requireAdmin(ctx);
  const row = await countedSubscriber(ctx.store, id);
  const now = ctx.now();
  const view = presentSubscriber(row, now);
  const since = row.failing_since;
  const waiting = await firstWaiting(ctx, id);
  return {
    ...view,
    fingerprint: isLost(row.secret) ? null : fingerprintOf(hashOf(sealing.open(row.secret, secretAbout(id)))),
    nextProbeAt: view.subscriberStatus === "backing_off" ? isoTime(row.open_until) : null,
    disabledAt: since === null || row.state === "disabled" ? null : isoTime(since + hopelessMs),
    pausedBy: row.state === "paused" ? await pausedBy(ctx, id) : null,
    hours: await hourlyOutcomesOf(ctx.store, id, now),
    last: await lastAttemptOf(ctx.store, id),
    oldestWaitingAt: isoTime(waiting.oldest),
    nextWaitingAt:
      waiting.next === null || row.state !== "active" ? null : isoTime(Math.max(waiting.next, row.open_until ?? 0)),
  };
}

/** Reads along the index of due deliveries, no further than deliveries are counted. */
async function firstWaiting(ctx: Context, id: string): Promise<{ oldest: number | null; next: number | null }> {
  const row = await ctx.store.one<{ oldest: number | null; next: number | null }>(
    `select min(created_at) as oldest, min(next_at) as next from
       (select created_at, next_at from delivery where subscriber_id in ($1) and state = 'waiting'
        order by next_at limit ${countedMax}) first`,
    [id],
  );
  return row ?? { oldest: null, next: null };
}

async function pausedBy(ctx: Context, id: string): Promise<{ name: string; at: string } | null> {
  const entry = await ctx.store.one<{ actor_name: string; at: number }>(
    `select actor_name, at from audit where object = $1 and action = 'subscriber.pause' order by id desc limit 1`,
    [`subscriber ${id}`],
  );
  return entry ? { name: entry.actor_name, at: isoTime(entry.at) } : null;
}
