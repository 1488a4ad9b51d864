import type { Step, Tx } from "../../core/store.ts";
import type { StoredMessage } from "../messages/message.ts";
import type { MessageType } from "../messages/message-types.ts";
import type { SubscriberRow } from "../subscribers/subscriber-row.ts";

type ChoosingRow = Pick<SubscriberRow, "id" | "event_types" | "report_types">;

/** The values by which subscribers choose their messages. */
export interface Topic {
  /** Null for what belongs to no project: it goes to subscribers of every project. */
  projectId: string | null;
  type: MessageType;
  /** The envelope's type. */
  reportType: string | null;
}

/** Ids of the subscribers that get a message. Paused subscribers get one too: their deliveries wait. */
export function* subscribersStep(tx: Tx, { projectId, type, reportType }: Topic): Step<string[]> {
  const rows = yield* tx.shared(`subscribers ${projectId}`, (read) =>
    read.all<ChoosingRow>(
      `select id, event_types, report_types from subscriber
       where state in ('active', 'paused') and (project_id in ($1) or project_id is null)`,
      [projectId],
    ),
  );
  const wants = ({ event_types, report_types }: ChoosingRow) =>
    JSON.parse(event_types).includes(type) &&
    (type !== "report.received" ||
      report_types === null ||
      (reportType !== null && JSON.parse(report_types).includes(reportType)));
  return rows.filter(wants).map(({ id }) => id);
}

export interface Message extends StoredMessage {
  /** Sent as `webhook-id` at every attempt; for a report the event's id. */
  id: string;
  eventId: string | null;
  type: MessageType;
}

/**
 * Stores the message and a delivery for each subscriber, in the transaction that stores the report or change itself.
 */
export function* enqueueStep(
  tx: Tx,
  message: Message,
  subscriberIds: readonly string[],
  { now, newId }: { now: number; newId: () => string },
): Step<void> {
  yield* insertMessageStep(tx, message);
  for (const subscriberId of subscriberIds) {
    yield* insertDeliveryStep(tx, { id: newId(), messageId: message.id, subscriberId, dueAt: now, now });
  }
}

export function* insertMessageStep(tx: Tx, { id, eventId, type, head, tail }: Message): Step<void> {
  yield* tx.run(
    // Two calls that send missed reports to different subscribers at once may store the same message.
    `insert into message (id, event_id, type, head, tail) values ($1, $2, $3, $4, $5)
     on conflict (id) do nothing`,
    [id, eventId, type, head, tail],
  );
}

/** Times are epoch milliseconds. */
export function* insertDeliveryStep(
  tx: Tx,
  {
    id,
    messageId,
    subscriberId,
    dueAt,
    now,
  }: Record<"id" | "messageId" | "subscriberId", string> & Record<"dueAt" | "now", number>,
): Step<void> {
  yield* tx.run(
    `insert into delivery (id, message_id, subscriber_id, state, tries, attempts, next_at, created_at)
     values ($1, $2, $3, 'waiting', 0, 0, $4, $5)`,
    [id, messageId, subscriberId, dueAt, now],
  );
}
