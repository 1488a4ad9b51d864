import { Database } from "bun:sqlite";
import { readdirSync } from "node:fs";
import type { Contestant } from "../contestant.ts";
import type { Measured } from "../rounds.ts";
import { judgeRows, type RowCount } from "../row-count.ts";

/** Counts events and files of a stopped server. */
export function countRows(
  { database, folder }: Pick<Contestant, "database" | "folder">,
  measured: Pick<Measured, "name" | "answers" | "refusals" | "underWayMax">,
  { attachments = 0, before = 0 }: { /** Of each event. */ attachments?: number; before?: number } = {},
): RowCount {
  const db = new Database(database, { readwrite: true });
  const count = (from: string) => db.query<{ n: number }, []>(`select count(*) as n from ${from}`).all()[0]?.n ?? 0;
  const events = count("event");
  const expected = new Map([["attachment", events * attachments]]);
  // The tables that only Intake has.
  const own = count("sqlite_schema where name = 'receipt'") > 0 ? ["envelope", "receipt"] : [];
  for (const table of own) expected.set(table, events);
  const differing = [...expected].filter(([table, rows]) => count(table) !== rows);
  const disagreements = differing.map(([table, rows]) => `${count(table)} rows in ${table} instead of ${rows}`);
  db.close();
  // A file whose request ended with the round may have no row yet, a row without its file is lost.
  const files = attachments === 0 ? 0 : countFiles(folder);
  if (files < events * attachments) disagreements.push(`${events * attachments - files} files are MISSING`);
  return judgeRows(measured, events - before, disagreements.length > 0 ? disagreements.join(", ") : undefined);
}

export function countEvents(database: string): number {
  const db = new Database(database, { readwrite: true });
  const [row] = db.query<{ n: number }, []>("select count(*) as n from event").all();
  db.close();
  return row?.n ?? 0;
}

/** Those of rivals are in `files`, those of Intake in `data/attachments/DAY`. */
function countFiles(folder: string): number {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  return found.filter((one) => one.isFile() && /\/(files|attachments\/[^/]+)$/.test(one.parentPath)).length;
}
