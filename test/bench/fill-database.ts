import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, openSync } from "node:fs";
import { progress } from "./progress.ts";

const chunk = 50_000;
type Row = Record<string, string | number | Uint8Array | null>;

/**
 * Fills the database of a stopped server, past all checks and syncs, until it has `rows` of `what`: `prepare` returns
 * what adds the i-th of them. The server has written the first.
 */
export function fillDatabase(
  database: string,
  { rows, what }: { rows: number; what: string },
  prepare: (db: Database) => (i: number) => void,
) {
  const db = new Database(database, { strict: true });
  for (const pragma of ["synchronous = off", "cache_size = -1000000", "foreign_keys = off", "wal_autocheckpoint = 0"]) {
    db.run(`pragma ${pragma}`);
  }
  const add = prepare(db);
  const addChunk = db.transaction((from: number, to: number) => {
    for (let i = from; i < to; i++) add(i);
  });
  for (let from = 1; from < rows; from += chunk) {
    const to = Math.min(from + chunk, rows);
    addChunk(from, to);
    // Without it the log would grow as large as the database.
    db.run("pragma wal_checkpoint(truncate)");
    if (to === rows || to % 250_000 < chunk) progress(`filled ${to} of ${rows} ${what}`);
  }
  db.close();
  // Otherwise the first checkpoint of the server would write all of it to the disk.
  const file = openSync(database, "r+");
  fsyncSync(file);
  closeSync(file);
}

/** The row that the server wrote: the pattern for every other. */
export function patternOf(db: Database, name: string): Row {
  const [row] = db.query<Row, []>(`select * from ${name} limit 1`).all();
  if (!row) throw new Error(`the server wrote nothing into ${name} that could be a pattern`);
  return row;
}

export function inserter(db: Database, name: string): (row: Row) => void {
  const columns = db.query<{ name: string }, [string]>("select name from pragma_table_info(?)").all(name);
  const list = columns.map((column) => column.name);
  const statement = db.prepare<unknown, [Row]>(
    `insert into ${name} (${list}) values (${list.map((column) => `$${column}`)})`,
  );
  return (row) => void statement.run(row);
}
