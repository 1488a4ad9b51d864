import { Database } from "bun:sqlite";
import type { Measured } from "../rounds.ts";
import { judgeRows, type RowCount } from "../row-count.ts";

/** Counts in the database of a stopped server. `before`: tickets that it had when the load began. */
export function countRows(
  database: string,
  measured: Pick<Measured, "name" | "answers" | "refusals" | "underWayMax">,
  before = 0,
): RowCount {
  const { tickets, activities, keys } = count(database);
  const disagreement =
    activities === tickets && keys === tickets
      ? undefined
      : `${tickets} tickets have ${activities} activities and ${keys} keys`;
  return judgeRows(measured, tickets - before, disagreement);
}

export function countTickets(database: string): number {
  return count(database).tickets;
}

interface Counts {
  tickets: number;
  activities: number;
  keys: number;
}

function count(database: string): Counts {
  const db = new Database(database, { readwrite: true });
  // The bare server, the rivals and earlier versions keep keys in the table of that other name.
  const tables = db.query<{ name: string }, []>(
    "select name from sqlite_schema where type = 'table' and name in ('idempotency', 'idempotency_key')",
  );
  const keys = tables.all().map(({ name }) => `(select count(*) from ${name})`);
  const [counts] = db
    .query<Counts, []>(
      `select (select count(*) from ticket) as tickets, (select count(*) from activity) as activities,
         ${keys.join(" + ")} as keys`,
    )
    .all();
  db.close();
  if (!counts) throw new Error(`${database} cannot be counted`);
  return counts;
}
