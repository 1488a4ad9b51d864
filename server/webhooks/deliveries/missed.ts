import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import { readSettings } from "../../core/settings.ts";
import type { Reader, Row, Step, Tx } from "../../core/store.ts";
import { messageTypes } from "../messages/message-types.ts";
import { listOf, type SubscriberRow } from "../subscribers/subscriber-row.ts";

/** The project and the types of the reports that a subscriber gets. */
export interface Interest {
  subscriberId: string;
  /** Null for every project. */
  projectId: string | null;
  /** Empty for reports of any type. */
  reportTypes: readonly string[];
}

/** A report that was received while a subscriber was disabled. */
export interface MissedRow extends Row {
  id: string;
  type: string | null;
  received_at: number;
  /** 1 where a delivery to the subscriber exists. */
  has_delivery: number;
}

type InterestedRow = Pick<SubscriberRow, "project_id" | "event_types" | "report_types" | "succeeded_at">;

const minuteMilliseconds = 60_000;
const dayMilliseconds = 86_400_000;

/**
 * The reports that a subscriber asks for. Refused when it asks for none, and when the deliveries that it has had since
 * a time (epoch milliseconds) are no longer known: ended deliveries are kept for some days only.
 */
export async function interestOf(ctx: Context, subscriberId: string, since: number): Promise<Interest> {
  requireAdmin(ctx);
  const row = await ctx.store.one<InterestedRow>(
    "select project_id, event_types, report_types, succeeded_at from subscriber where id = $1",
    [subscriberId],
  );
  if (!row) throw new Refusal("not_found", `there is no subscriber ${subscriberId}`);
  if (!listOf(row.event_types).includes(messageTypes[0])) {
    throw new Refusal("invalid_input", "this subscriber is not told of reports, so that it has missed none");
  }
  if (since > ctx.now())
    throw new Refusal("invalid_input", "since lies in the future, so that nothing was missed since");
  const { delivery_days: days } = await readSettings(ctx.store);
  // Nothing was delivered after the last success, however long ago that was. People write times without seconds.
  const succeeded = (row.succeeded_at ?? Number.NEGATIVE_INFINITY) - minuteMilliseconds;
  const earliest = Math.min(ctx.now() - days * dayMilliseconds, succeeded);
  if (since < earliest) {
    const time = new Date(earliest).toISOString();
    throw new Refusal(
      "invalid_input",
      `deliveries are kept for ${days} days, so what this subscriber has had before ${time} is not known`,
    );
  }
  return { subscriberId, projectId: row.project_id, reportTypes: listOf(row.report_types) };
}

/** The projects whose reports a subscriber gets. */
export async function projectsOf(store: Reader, { projectId }: Interest): Promise<string[]> {
  if (projectId !== null) return [projectId];
  const rows = await store.all<{ id: string }>("select id from project where deleted_at is null order by id");
  return rows.map(({ id }) => id);
}

/** A position in the order in which reports were received. */
export type Place = readonly [receivedAt: number, eventId: string];

/**
 * The event with the highest id: reports that come later get their deliveries when they are stored. An id and not a
 * time, because a clock that was ahead may have left reports with times in the future.
 */
export async function lastEvent(store: Reader): Promise<string> {
  const row = await store.one<{ id: string | null }>("select max(id) as id from event");
  return row?.id ?? "";
}

interface Slice {
  projectId: string;
  subscriberId: string;
  after: Place;
  /** The last event, see {@link lastEvent}. */
  until: string;
  limit: number;
}

/** The next reports of a project in the order of receipt, missed or not. */
export function sliceQuery({ projectId, subscriberId, after: [at, id], until, limit }: Slice) {
  const sql = `select id, type, received_at,
       case when exists (select 1 from delivery where message_id = event.id and subscriber_id = $1)
         then 1 else 0 end as has_delivery
     from event where project_id in ($2) and (received_at, id) > ($3, $4) and id <= $5
     order by received_at, id limit $6`;
  return [sql, [subscriberId, projectId, at, id, until, limit]] as const;
}

export function* sliceStep(tx: Tx, slice: Slice): Step<MissedRow[]> {
  return yield* tx.all<MissedRow>(...sliceQuery(slice));
}

export function isMissed({ type, has_delivery }: MissedRow, { reportTypes }: Interest): boolean {
  return has_delivery === 0 && (reportTypes.length === 0 || (type !== null && reportTypes.includes(type)));
}
