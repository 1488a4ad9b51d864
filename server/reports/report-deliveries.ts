import type { Context } from "../core/context.ts";
import type { Row } from "../core/store.ts";
import type { EventView } from "../ingest/show-event.ts";

/** How a subscriber was told of a report. */
export interface DeliveryOfReport {
  id: string;
  subscriberId: string;
  /** The host: the path of an address may be a secret. */
  name: string;
  /** For admins. */
  url?: string;
  subscriberState: string;
  state: "waiting" | "leased" | "delivered" | "dead";
  attempts: number;
  nextAttemptAt?: string;
  /** From the receipt of the report to the first attempt. */
  firstPostMs: number | null;
  /** For admins, oldest first. */
  tries?: { at: string; status?: number; error?: string; ms: number | null }[];
}

interface DeliveryRow extends Row {
  id: string;
  subscriber_id: string;
  url: string;
  subscriber_state: string;
  open_until: number | null;
  state: DeliveryOfReport["state"];
  attempts: number;
  next_at: number;
  first_at: number | null;
}

const deliveriesMax = 200;

export async function deliveriesOf({ store, actor }: Context, event: EventView): Promise<DeliveryOfReport[]> {
  const rows = await store.all<DeliveryRow>(
    `select d.id, d.subscriber_id, s.url, s.state as subscriber_state, s.open_until, d.state, d.attempts, d.next_at,
       (select min(a.at) from attempt a where a.delivery_id = d.id) as first_at
     from message m join delivery d on d.message_id = m.id join subscriber s on s.id = d.subscriber_id
     where m.event_id = $1 order by d.created_at, d.id limit ${deliveriesMax}`,
    [event.id],
  );
  const isAdmin = actor.kind !== "member" || actor.role === "admin";
  const views: DeliveryOfReport[] = [];
  for (const row of rows) {
    const waits = row.state === "waiting" && row.subscriber_state === "active";
    const view: DeliveryOfReport = {
      id: row.id,
      subscriberId: row.subscriber_id,
      name: URL.parse(row.url)?.host ?? "",
      subscriberState: row.subscriber_state,
      state: row.state,
      attempts: row.attempts,
      ...(waits ? { nextAttemptAt: new Date(Math.max(row.next_at, row.open_until ?? 0)).toISOString() } : {}),
      firstPostMs: row.first_at === null ? null : Math.max(0, row.first_at - Date.parse(event.receivedAt)),
    };
    views.push(isAdmin ? { ...view, url: row.url, tries: await triesOf(store, row.id) } : view);
  }
  return views;
}

interface AttemptRow extends Row {
  at: number;
  status: number | null;
  error: string | null;
  milliseconds: number | null;
}

async function triesOf(store: Context["store"], deliveryId: string): Promise<NonNullable<DeliveryOfReport["tries"]>> {
  const rows = await store.all<AttemptRow>(
    "select at, status, error, milliseconds from attempt where delivery_id in ($1) order by number desc limit 50",
    [deliveryId],
  );
  return rows.reverse().map(({ at, status, error, milliseconds }) => ({
    at: new Date(at).toISOString(),
    ...(status === null ? {} : { status }),
    ...(error === null ? {} : { error }),
    ms: milliseconds,
  }));
}
