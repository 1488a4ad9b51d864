import { isoTime } from "../../core/iso-time.ts";
import type { SubscriberRow } from "../subscribers/subscriber-row.ts";

/** A row of the table `delivery`: one message for one subscriber. Times are epoch milliseconds. */
export type DeliveryRow = {
  id: string;
  message_id: string;
  subscriber_id: string;
  state: "waiting" | "leased" | "delivered" | "dead";
  /** Attempts of the present pass through the schedule, and all attempts. */
  tries: number;
  attempts: number;
  next_at: number;
  /** The lease of the worker that attempts the delivery at the moment. */
  lease: string | null;
  lease_until: number | null;
  created_at: number;
  ended_at: number | null;
};

/** A delivery with its message and the title of its report. */
export type ReadDeliveryRow = Omit<DeliveryRow, "subscriber_id" | "lease" | "lease_until"> & {
  type: string;
  event_id: string | null;
  title: string | null;
};

/** A delivery as it is shown; pages and the command line pick members from it. */
export interface DeliveryView {
  id: string;
  /** `webhook-id` at every attempt. */
  messageId: string;
  type: string;
  /** Null when the message is not about a report. */
  eventId: string | null;
  title: string | null;
  state: DeliveryRow["state"];
  createdAt: string;
  endedAt: string | null;
  /**
   * The earliest time of the next attempt; null once the delivery has ended, and while nothing is sent to the
   * subscriber.
   */
  nextAt: string | null;
  /** Attempts of the present pass through the schedule. */
  tries: number;
}

export const deliveryColumns = `d.id, d.message_id, m.type, m.event_id, e.title, d.state, d.created_at, d.ended_at,
  d.next_at, d.tries, d.attempts`;
export const deliveryTables = "delivery d join message m on m.id = d.message_id left join event e on e.id = m.event_id";

/** The members of a subscriber that decide when its deliveries leave. */
export type Sending = Pick<SubscriberRow, "state" | "open_until">;

export function presentDelivery(row: ReadDeliveryRow, subscriber: Sending): DeliveryView {
  return {
    id: row.id,
    messageId: row.message_id,
    type: row.type,
    eventId: row.event_id,
    title: row.title,
    state: row.state,
    createdAt: isoTime(row.created_at),
    endedAt: isoTime(row.ended_at),
    nextAt: nextAtOf(row, subscriber),
    tries: row.tries,
  };
}

/**
 * The earliest time of the next attempt; null once the delivery has ended, and while nothing is sent to the subscriber.
 */
export function nextAtOf(
  { state, next_at }: Pick<DeliveryRow, "state" | "next_at">,
  subscriber: Sending,
): string | null {
  if (state !== "waiting" || subscriber.state !== "active") return null;
  return isoTime(Math.max(next_at, subscriber.open_until ?? 0));
}
