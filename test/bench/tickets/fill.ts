import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, openSync } from "node:fs";
import { progress } from "../progress.ts";

const chunk = 50_000;
type Row = Record<string, string | number | Uint8Array | null>;

/**
 * Fills the database of a stopped server up to `rows` tickets. The first ticket, which the server wrote, is the pattern
 * for every other: all columns of its three rows, with an id, a key, a place and a time of its own.
 */
export function fill(database: string, rows: number) {
  const db = new Database(database, { strict: true });
  for (const pragma of ["synchronous = off", "cache_size = -1000000", "foreign_keys = off", "wal_autocheckpoint = 0"]) {
    db.run(`pragma ${pragma}`);
  }
  const tables = ["ticket", "activity", "idempotency"] as const;
  const [ticket, activity, idempotency] = tables.map((name) => patternOf(db, name));
  if (!ticket || !activity || !idempotency) throw new Error("the server stored no ticket to take as a pattern");
  const [firstId, firstTime, firstPlace] = [
    String(ticket["id"]),
    Number(ticket["created_at"]),
    Number(ticket["position"]),
  ];
  const answer = String(idempotency["answer"]);
  const [addTicket, addActivity, addKey] = tables.map((name) => inserter(db, name));

  const addChunk = db.transaction((from: number, to: number) => {
    for (let i = from; i < to; i++) {
      // In the past: what the server adds later comes behind it.
      const time = firstTime - rows + i;
      const id = Bun.randomUUIDv7("hex", time);
      const key = `${Math.trunc(Math.random() * 2 ** 31)
        .toString(16)
        .padStart(8, "0")}-${i}-filled00`;
      addTicket?.({ ...ticket, id, created_at: time, position: firstPlace - i });
      addActivity?.({ ...activity, ticket_id: id, at: time });
      // What the binding is made of does not matter here, that it is random does.
      const binding = crypto.getRandomValues(new Uint8Array(16));
      addKey?.({ ...idempotency, binding, ticket_id: id, key, answer: answer.replaceAll(firstId, id) });
    }
  });
  for (let from = 1; from < rows; from += chunk) {
    const to = Math.min(from + chunk, rows);
    addChunk(from, to);
    // Without it the log would grow as large as the database.
    db.run("pragma wal_checkpoint(truncate)");
    if (to === rows || to % 250_000 < chunk) progress(`filled ${to} of ${rows} tickets`);
  }
  db.close();
  // Otherwise the first checkpoint of the server would write all of it to the disk.
  const file = openSync(database, "r+");
  fsyncSync(file);
  closeSync(file);
}

function patternOf(db: Database, name: string): Row | undefined {
  return db.query<Row, []>(`select * from ${name} limit 1`).all()[0];
}

function inserter(db: Database, name: string): (row: Row) => void {
  const columns = db.query<{ name: string }, [string]>("select name from pragma_table_info(?)").all(name);
  const list = columns.map((column) => column.name);
  const statement = db.prepare<unknown, [Row]>(
    `insert into ${name} (${list}) values (${list.map((column) => `$${column}`)})`,
  );
  return (row) => void statement.run(row);
}
