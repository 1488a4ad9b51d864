import type { Step, Store, Tx } from "../../core/store.ts";

/** Rows that one transaction deletes, so that other writes never wait long. */
const chunk = 500;

/**
 * Deletes deliveries that ended before a time (epoch milliseconds), as many as one transaction takes; the oldest first.
 */
export function deleteEnded(store: Store, before: number): Promise<number> {
  return store.write((tx) =>
    deleteStep(tx, "select id from delivery where ended_at is not null and ended_at < $1 order by ended_at limit $2", [
      before,
      chunk,
    ]),
  );
}

/**
 * Deletes deliveries that have waited since before a time (epoch milliseconds) and are not about a report, as many as
 * one transaction takes. Deliveries about a report are deleted with the report.
 */
export function deleteWaiting(store: Store, since: number): Promise<number> {
  return store.write((tx) =>
    deleteStep(
      tx,
      `select delivery.id from subscriber cross join delivery cross join message
       where subscriber_id = subscriber.id and message.id = message_id and delivery.state = 'waiting'
         and delivery.created_at < $1 and event_id is null
       limit $2`,
      [since, chunk],
    ),
  );
}

/** Deletes deliveries of a subscriber, as many as one transaction takes. */
export function deleteOfSubscriber(store: Store, subscriberId: string): Promise<number> {
  return store.write((tx) =>
    deleteStep(tx, "select id from delivery where subscriber_id in ($1) limit $2", [subscriberId, chunk]),
  );
}

/** Deletes deliveries with their attempts, and with the messages that have no delivery left. */
function* deleteStep(tx: Tx, which: string, params: readonly (string | number)[]): Step<number> {
  const deleted = yield* tx.all<{ message_id: string }>(
    `delete from delivery where id in (${which}) returning message_id`,
    params,
  );
  for (const id of new Set(deleted.map((row) => row.message_id))) {
    yield* tx.run(
      "delete from message where id = $1 and not exists (select 1 from delivery where message_id = message.id)",
      [id],
    );
  }
  return deleted.length;
}
