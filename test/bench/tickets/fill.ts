import { Database } from "bun:sqlite";
import { hashOf } from "../../../server/store/idempotency-keys.ts";
import { fillDatabase, inserter, patternOf } from "../fill-database.ts";

/** Each ticket is like the first in all columns of its three rows, with an id, a key, a place and a time of its own. */
export function fill(database: string, rows: number) {
  fillDatabase(database, { rows, what: "tickets" }, (db) => {
    const ticket = patternOf(db, "ticket");
    const activity = patternOf(db, "activity");
    const idempotency = patternOf(db, "idempotency_key");
    const [firstId, firstTime, firstPlace] = [
      String(ticket["id"]),
      Number(ticket["created_at"]),
      Number(ticket["position"]),
    ];
    const answer = String(idempotency["answer"]);
    const [addTicket, addActivity, addKey] = [
      inserter(db, "ticket"),
      inserter(db, "activity"),
      inserter(db, "idempotency_key"),
    ];
    return (i) => {
      // In the past: what the server adds later comes behind it.
      const time = firstTime - rows + i;
      const id = Bun.randomUUIDv7("hex", time);
      const key = `${Math.trunc(Math.random() * 2 ** 31)
        .toString(16)
        .padStart(8, "0")}-${i}-filled00`;
      addTicket({ ...ticket, id, created_at: time, position: firstPlace - i });
      addActivity({ ...activity, ticket_id: id, at: time });
      // What the binding is made of does not matter here, that it is random does.
      const binding = crypto.getRandomValues(new Uint8Array(16));
      addKey({
        ...idempotency,
        number: Number(idempotency["number"]) + i,
        binding,
        ticket_id: id,
        key,
        answer: answer.replaceAll(firstId, id),
      });
    };
  });
  indexKeys(database);
}

/** As a server does it when no ticket comes for a while. */
function indexKeys(database: string) {
  const db = new Database(database);
  db.run("pragma cache_size = -1000000");
  db.run("create temp table hashed (hash integer not null, number integer not null) strict");
  const add = db.prepare("insert into hashed values (?, ?)");
  const keys = db.query<{ number: number; binding: Uint8Array }, []>("select number, binding from idempotency_key");
  db.transaction(() => {
    for (const { number, binding } of keys.iterate()) add.run(hashOf(binding), number);
    db.run(
      "insert into idempotency_key_index select hash, number from hashed order by hash, number on conflict do nothing",
    );
    db.run("update idempotency_key_indexed set number = (select max(number) from idempotency_key)");
  })();
  db.run("pragma wal_checkpoint(truncate)");
  db.close();
}
