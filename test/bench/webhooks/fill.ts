import type { Database } from "bun:sqlite";
import { fillDatabase, inserter, patternOf } from "../fill-database.ts";

/**
 * Waiting deliveries, every second one for the first subscriber and the others in turn for the rest. Each has a message
 * of its own; the envelope that is sent is one for all.
 */
export function fillDeliveries(database: string, rows: number, [first = "", ...rest]: readonly string[]) {
  fillDatabase(database, { rows, what: "waiting deliveries" }, (db) => {
    const message = patternOf(db, "message");
    const delivery = patternOf(db, "delivery");
    const [addMessage, addDelivery] = [inserter(db, "message"), inserter(db, "delivery")];
    const waiting = { state: "waiting", tries: 0, attempts: 0, lease: null, lease_until: null, ended_at: null };
    return (i) => {
      // In the past: all of them are due.
      const time = Number(delivery["created_at"]) - rows + i;
      const id = Bun.randomUUIDv7("hex", time);
      const subscriber_id = i % 2 === 0 ? first : (rest[(i >> 1) % rest.length] ?? first);
      addMessage({ ...message, id });
      addDelivery({
        ...delivery,
        ...waiting,
        id: Bun.randomUUIDv7("hex", time),
        message_id: id,
        subscriber_id,
        next_at: time,
        created_at: time,
      });
    };
  });
}

export function countWaiting(db: Database): number {
  const [row] = db.query<{ n: number }, []>("select count(*) as n from delivery where state = 'waiting'").all();
  return row?.n ?? 0;
}
