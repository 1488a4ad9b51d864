import type { Row, Step, Tx } from "../store/store.ts";
import type { MessageType, StoredMessage } from "./message.ts";

interface SubscriberRow extends Row {
  id: string;
  event_types: string;
  report_types: string | null;
}

export interface Message {
  /** The event's id for a report: `webhook-id` at every attempt. */
  id: string;
  eventId: string | null;
  projectId: string;
  type: MessageType;
  /** The envelope's type, which subscribers may choose by. */
  reportType: string | null;
  /** Called when there is somebody to tell. */
  content: () => StoredMessage;
}

/**
 * Writes a delivery for every subscriber that wants the message, in the transaction that stores what it tells of.
 * Paused ones get theirs too; they wait. Returns how many there are.
 */
export function* enqueueStep(
  tx: Tx,
  message: Message,
  { now, newId }: { now: number; newId: () => string },
): Step<number> {
  const { id, eventId, projectId, type, reportType } = message;
  const subscribers = yield* tx.all<SubscriberRow>(
    `select id, event_types, report_types from subscriber
     where state in ('active', 'paused') and (project_id in ($1) or project_id is null)`,
    [projectId],
  );
  const wanting = subscribers.filter(({ event_types, report_types }) => {
    if (!JSON.parse(event_types).includes(type)) return false;
    return report_types === null || (reportType !== null && JSON.parse(report_types).includes(reportType));
  });
  if (wanting.length === 0) return 0;
  const { head, tail } = message.content();
  yield* tx.run("insert into message (id, event_id, type, head, tail) values ($1, $2, $3, $4, $5)", [
    id,
    eventId,
    type,
    head,
    tail,
  ]);
  for (const subscriber of wanting) {
    yield* tx.run(
      `insert into delivery (id, message_id, subscriber_id, state, tries, attempts, next_at, created_at)
       values ($1, $2, $3, 'waiting', 0, 0, $4, $4)`,
      [newId(), id, subscriber.id, now],
    );
  }
  return wanting.length;
}
