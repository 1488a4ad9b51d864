import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import { fingerprintOf, hashOf } from "../../core/credential.ts";
import type { Sealing } from "../../core/sealing.ts";
import { isLost, isThere, secretAbout } from "../messages/sealed-columns.ts";
import { hopelessMs } from "./breaker.ts";
import { type BrowsedSubscriberRow, browsedColumns, countedMax, moreOf, shownToAll } from "./browse-subscribers.ts";
import { type Hour, hourlyOutcomesOf } from "./hourly-outcomes.ts";
import { inFlightCap } from "./in-flight-cap.ts";
import { type LastAttempt, lastAttemptOf } from "./last-attempt.ts";
import { listOf } from "./subscriber-fields.ts";

interface SubscriberRow extends BrowsedSubscriberRow {
  header_names: string | null;
  secret: Uint8Array;
  previous_until: number | null;
  failing_since: number | null;
  created_at: number;
  leased: number;
}

export type ShownSubscriber = ReturnType<typeof shownToAll> &
  ReturnType<typeof moreOf> & {
    /** Names of its own headers; their values are never shown. */
    headers: string[];
    /** Of the secret; null when that is lost. */
    fingerprint: string | null;
    /** Until then the secret before the last rotation signs too. */
    previousUntil: string | null;
    createdAt: string;
    /** Under way, of so many at once. */
    inFlight: { now: number; most: number };
    /** Attempts in a row that failed, and since when. */
    failures: number;
    failingSince: string | null;
    /** When the next attempt leaves, while it backs off. */
    nextProbeAt: string | null;
    /** Without a success until then it is disabled. */
    disabledAt: string | null;
    pausedBy: { name: string; at: string } | null;
    hours: Hour[];
    /** Null before the first one, and when its delivery is gone. */
    last: LastAttempt | null;
    /** Of what waits, or of the first 10,000 of it. */
    oldestWaitingAt: string | null;
    /** When one of them is tried, at the earliest; null while nothing is sent. */
    nextWaitingAt: string | null;
  };

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
  const row = await ctx.store.one<SubscriberRow>(
    `select ${browsedColumns}, s.header_names, s.secret, s.previous_until, s.failing_since, s.created_at,
       (select cast(count(*) as integer) from delivery where subscriber_id = s.id and state = 'leased') as leased
     from subscriber s left join project p on p.id = s.project_id
     where s.id = $1 and ${isThere("s")}`,
    [id],
  );
  if (!row) throw new Refusal("not_found");
  const now = ctx.now();
  const shown = shownToAll(row, now);
  const { previous_until: until, failing_since: since } = row;
  const waiting = await firstWaiting(ctx, id);
  return {
    ...shown,
    ...moreOf(row),
    headers: listOf(row.header_names),
    fingerprint: isLost(row.secret) ? null : fingerprintOf(hashOf(sealing.open(row.secret, secretAbout(id)))),
    previousUntil: until !== null && until > now ? moment(until) : null,
    createdAt: new Date(row.created_at).toISOString(),
    inFlight: { now: row.leased, most: inFlightCap },
    failures: row.failures,
    failingSince: row.failures === 0 ? null : moment(since),
    nextProbeAt: shown.fares === "backing_off" ? moment(row.open_until) : null,
    disabledAt: since === null || row.state === "disabled" ? null : moment(since + hopelessMs),
    pausedBy: row.state === "paused" ? await pausedBy(ctx, id) : null,
    hours: await hourlyOutcomesOf(ctx.store, id, now),
    last: await lastAttemptOf(ctx.store, id),
    oldestWaitingAt: moment(waiting.oldest),
    nextWaitingAt:
      waiting.next === null || row.state !== "active" ? null : moment(Math.max(waiting.next, row.open_until ?? 0)),
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
  return entry ? { name: entry.actor_name, at: new Date(entry.at).toISOString() } : null;
}

function moment(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}
