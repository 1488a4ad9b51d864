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
  /** Of the secret; null when that is lost. */
  fingerprint: string | null;
  /** When the next attempt leaves, while it backs off. */
  nextProbeAt: string | null;
  /** Without a success until then it is disabled. */
  disabledAt: string | null;
  pausedBy: { name: string; at: string } | null;
  hours: Hour[];
  /** Null before the first one, and when its delivery is gone. */
  last: LastAttempt | null;
  /** When the first of the waiting deliveries was made; no more than 10,000 of them are looked at. */
  oldestWaitingAt: string | null;
  /** When one of them is tried, at the earliest; null while nothing is sent. */
  nextWaitingAt: string | null;
}

/** Everything about one subscriber but its secret and the values of its headers. */
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

/** Along the index of what is due, no further than is counted. */
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
