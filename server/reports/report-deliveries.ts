import type { Context } from "../core/context.ts";
import { isoTime } from "../core/iso-time.ts";
import { withoutNulls } from "../core/without-nulls.ts";
import type { EventView } from "../ingest/event-view.ts";
import type { AttemptRow } from "../webhooks/attempts/attempt-view.ts";
import { type DeliveryRow, nextAtOf } from "../webhooks/deliveries/delivery-view.ts";
import type { ListedAttempt } from "../webhooks/deliveries/list-deliveries.ts";
import type { SubscriberRow } from "../webhooks/subscribers/subscriber-row.ts";

/** A delivery of a report, with the members that its viewer may see. */
export interface DeliveryOfReport {
  id: string;
  subscriberId: string;
  /** The host of the subscriber's address: its path may be a secret. */
  name: string;
  /** Present for admins only. */
  url?: string;
  subscriberState: string;
  state: DeliveryRow["state"];
  attempts: number;
  nextAttemptAt?: string;
  /** Milliseconds from the receipt of the report to the first attempt. */
  firstPostMs: number | null;
  /** Attempts, oldest first; present for admins only. */
  tries?: Pick<ListedAttempt, "at" | "status" | "error" | "ms">[];
}

type DeliveryOfReportRow = Pick<DeliveryRow, "id" | "subscriber_id" | "state" | "attempts" | "next_at"> &
  Pick<SubscriberRow, "url" | "open_until"> & {
    subscriber_state: SubscriberRow["state"];
    /** When the first attempt was made. */
    first_at: number | null;
  };

const deliveriesMax = 200;

export async function deliveriesOf({ store, actor }: Context, event: EventView): Promise<DeliveryOfReport[]> {
  const rows = await store.all<DeliveryOfReportRow>(
    `select d.id, d.subscriber_id, s.url, s.state as subscriber_state, s.open_until, d.state, d.attempts, d.next_at,
       (select min(a.at) from attempt a where a.delivery_id = d.id) as first_at
     from message m join delivery d on d.message_id = m.id join subscriber s on s.id = d.subscriber_id
     where m.event_id = $1 order by d.created_at, d.id limit ${deliveriesMax}`,
    [event.id],
  );
  const isAdmin = actor.kind !== "member" || actor.role === "admin";
  const views: DeliveryOfReport[] = [];
  for (const row of rows) {
    const nextAttemptAt = nextAtOf(row, { state: row.subscriber_state, open_until: row.open_until });
    const view: DeliveryOfReport = {
      id: row.id,
      subscriberId: row.subscriber_id,
      name: URL.parse(row.url)?.host ?? "",
      subscriberState: row.subscriber_state,
      state: row.state,
      attempts: row.attempts,
      ...withoutNulls({ nextAttemptAt }),
      firstPostMs: row.first_at === null ? null : Math.max(0, row.first_at - Date.parse(event.receivedAt)),
    };
    views.push(isAdmin ? { ...view, url: row.url, tries: await triesOf(store, row.id) } : view);
  }
  return views;
}

type TriedRow = Pick<AttemptRow, "at" | "status" | "error" | "milliseconds">;

async function triesOf(store: Context["store"], deliveryId: string): Promise<NonNullable<DeliveryOfReport["tries"]>> {
  const rows = await store.all<TriedRow>(
    "select at, status, error, milliseconds from attempt where delivery_id in ($1) order by number desc limit 50",
    [deliveryId],
  );
  return rows.reverse().map(({ at, status, error, milliseconds }) => ({
    at: isoTime(at),
    ...withoutNulls({ status, error }),
    ms: milliseconds,
  }));
}
