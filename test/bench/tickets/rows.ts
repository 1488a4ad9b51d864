import { Database } from "bun:sqlite";
import type { Measured } from "../rounds.ts";

export interface RowCount {
  name: string;
  answers: number;
  rows: number;
  /** Every request was answered 201, every answer has its row, and no more rows than requests whose answer wrk may not have seen. */
  right: boolean;
  explanation: string;
}

/** Counts in the database of a stopped server. `before`: tickets that it had when the load began. */
export function countRows(database: string, { name, answers, refusals, underWayMax }: Measured, before = 0): RowCount {
  const { tickets, activities, keys } = count(database);
  const rows = tickets - before;
  const extra = rows - answers;
  let wrong: string | undefined;
  if (refusals > 0) wrong = `${refusals} requests were answered with something else than 201`;
  else if (extra < 0) wrong = `${-extra} acknowledged tickets are MISSING`;
  else if (extra > underWayMax) wrong = `${extra} tickets more than answers`;
  else if (activities !== tickets || keys !== tickets) {
    wrong = `${tickets} tickets have ${activities} activities and ${keys} keys`;
  }
  const explanation = wrong ?? `${extra} under way whenever wrk ended were stored too`;
  return { name, answers, rows, right: wrong === undefined, explanation };
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
  const [counts] = db
    .query<Counts, []>(
      `select (select count(*) from ticket) as tickets, (select count(*) from activity) as activities,
         (select count(*) from idempotency) as keys`,
    )
    .all();
  db.close();
  if (!counts) throw new Error(`${database} cannot be counted`);
  return counts;
}
