import { type Context, Refusal, requireAdmin } from "../access/context.ts";
import { fingerprintOf, hashOf } from "../access/credential.ts";
import { hopelessMs } from "./breaker.ts";
import { type BrowsedSubscriberRow, browsedColumns, moreOf, shownToAll } from "./browse-subscribers.ts";
import { inFlightCap } from "./claim.ts";
import { type Hour, hoursOf } from "./hours.ts";
import type { Sealing } from "./sealing.ts";
import { isLost, secretAbout } from "./subscriber.ts";
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
    failures: number;
    /** When the next attempt leaves, while it backs off. */
    nextProbeAt: string | null;
    /** Without a success until then it is disabled. */
    disabledAt: string | null;
    pausedBy: { name: string; at: string } | null;
    hours: Hour[];
  };

/** Deliveries of one hour that its bar looks at. */
const sample = 200;

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
     from subscriber s left join project p on p.id = s.project_id where s.id = $1`,
    [id],
  );
  if (!row) throw new Refusal("not_found");
  const now = ctx.now();
  const shown = shownToAll(row, now);
  const { previous_until: until, failing_since: since } = row;
  return {
    ...shown,
    ...moreOf(row),
    headers: listOf(row.header_names),
    fingerprint: isLost(row.secret) ? null : fingerprintOf(hashOf(sealing.open(row.secret, secretAbout(id)))),
    previousUntil: until !== null && until > now ? moment(until) : null,
    createdAt: new Date(row.created_at).toISOString(),
    inFlight: { now: row.leased, most: inFlightCap },
    failures: row.failures,
    nextProbeAt: shown.fares === "backing_off" ? moment(row.open_until) : null,
    disabledAt: since === null || row.state === "disabled" ? null : moment(since + hopelessMs),
    pausedBy: row.state === "paused" ? await pausedBy(ctx, id) : null,
    hours: await hoursOf(ctx.store, id, { now, sample }),
  };
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
