import { accessSync, constants, existsSync, statSync } from "node:fs";
import { readClockMark, readNewestTime } from "../core/clock-mark.ts";
import { clockAdvice, clockWords, judgeClock, machineTime } from "../core/judge-clock.ts";
import { keyPath, readSealing } from "../core/open-sealing.ts";
import { settings } from "../core/settings.ts";
import type { Reader, Row, Sql, Value } from "../core/store.ts";
import { freeSpace } from "../store/free-space.ts";
import { attachmentPath } from "../store/local-files.ts";
import { databasePath, migrationStatus } from "../store/migrate.ts";
import type { Migration } from "../store/migrations/index.ts";
import { openDatabase } from "../store/open-database.ts";

export interface Finding {
  check: string;
  ok: boolean;
  /** What was found and, on a failure, what to do. */
  text: string;
}

/** The first SQLite without the bug that could corrupt a database when the log starts over. */
const soundSqlite = [3, 51, 3] as const;

/** Looks at a data directory without changing it; safe beside a live server. */
export async function examine(folder: string, sqlite: string, known: readonly Migration[]): Promise<Finding[]> {
  const schemaFinding = await look("schema", () => schema(folder, known));
  return [
    await look("permissions", () => permissions(folder, databasePath(folder))),
    await look("free space", () => roomy(folder)),
    await look("sqlite", () => sqliteIsSound(sqlite)),
    schemaFinding,
    await look("integrity", () => integrity(folder)),
    await look("foreign keys", () => foreignKeys(folder)),
    // The remaining checks read tables and columns that exist only in this version's schema.
    ...(schemaFinding.ok ? await withReader(folder, (reader) => examineContents(folder, reader)) : []),
    await look("environment", environment),
  ];
}

/** What is stored fits together, and fits the files and the clock of this machine. */
async function examineContents(folder: string, reader: Reader): Promise<Finding[]> {
  return [
    await look("clock", () => clock(reader)),
    await look("attachments", () => attachments(folder, reader)),
    await look("secret key", () => secretKey(keyPath(folder), reader)),
  ];
}

export async function look(
  check: string,
  find: () => Omit<Finding, "check"> | Promise<Omit<Finding, "check">>,
): Promise<Finding> {
  try {
    return { check, ...(await find()) };
  } catch (error) {
    return { check, ok: false, text: (error as Error).message };
  }
}

export const good = (text: string) => ({ ok: true, text });
export const bad = (text: string) => ({ ok: false, text });

export function permissions(folder: string, database?: string) {
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  if (database !== undefined) accessSync(database, constants.R_OK | constants.W_OK);
  const mode = statSync(folder).mode & 0o777;
  if ((mode & 0o077) === 0) return good("only the owner can read the data directory");
  return bad(`others can look into the data directory (mode ${mode.toString(8)}); run: chmod 700 ${folder}`);
}

export function roomy(folder: string) {
  const { bytes, low } = freeSpace(folder);
  const text = `${Math.floor(bytes / 1e6)} MB free`;
  return low ? bad(`${text}; make room: reports are refused, and tickets soon will be`) : good(text);
}

function sqliteIsSound(sqlite: string) {
  const numbers = sqlite.split(".").map(Number);
  const different = soundSqlite.findIndex((number, i) => numbers[i] !== number);
  const sound = different < 0 || (numbers[different] ?? 0) > (soundSqlite[different] ?? 0);
  if (sound) return good(`SQLite ${sqlite}; do not open the live database with an older one`);
  return bad(`SQLite ${sqlite} is older than ${soundSqlite.join(".")}; use a newer intake`);
}

function schema(folder: string, known: readonly Migration[]) {
  const { current, upgrade } = migrationStatus(folder, known);
  return upgrade ? bad(`${upgrade.state}. ${upgrade.forward} ${upgrade.back}`) : good(`schema ${current}`);
}

function integrity(folder: string) {
  const [first] = rows<{ integrity_check: string }>(folder, "pragma integrity_check(1)");
  if (first?.integrity_check === "ok") return good("every page and index is sound");
  return bad("the database is damaged; stop the server, keep a copy of the directory, and restore a backup");
}

function foreignKeys(folder: string) {
  const broken = rows(folder, "pragma foreign_key_check").length;
  return broken === 0
    ? good("every reference leads somewhere")
    : bad(`${broken} references lead nowhere; restore a backup`);
}

/** Whether a server would trust the machine's clock and delete by age. */
export async function clock(reader: Reader) {
  const row = await reader.one<{ value: string }>("select value from setting where name = 'clock_gap_days'");
  const gapDays = row ? Number(row.value) : settings.clock_gap_days.default;
  const judgement = judgeClock(machineTime(), {
    mark: await readClockMark(reader),
    newestRow: await readNewestTime(reader),
    gap: gapDays * 86_400_000,
  });
  return judgement.trusted ? good("it agrees with the data") : bad(`${clockWords(judgement)}. ${clockAdvice}`);
}

/** Whether every attachment that a row names has its file, and of the right size. */
async function attachments(folder: string, reader: Reader) {
  let found = 0;
  const lost: string[] = [];
  for (let after = ""; ; ) {
    const page = await reader.all<{ id: string; size: number }>(
      "select id, size from attachment where state <> 'missing' and id > $1 order by id limit 10000",
      [after],
    );
    for (const { id, size } of page) {
      const there = statSync(attachmentPath(folder, id), { throwIfNoEntry: false })?.size === size;
      if (there) found++;
      else lost.push(id);
      after = id;
    }
    if (page.length === 0) break;
  }
  let missing = 0;
  for (const id of lost) {
    // A live server may have deleted the attachment meanwhile: it deletes the row before the file.
    if (await reader.one("select 1 as there from attachment where id = $1", [id])) missing++;
  }
  return missing === 0
    ? good(`${found} attachments have their files`)
    : bad(`the files of ${missing} attachments are missing or cut; restore the folder attachments from a backup`);
}

export async function secretKey(path: string, reader: Reader) {
  const sealed = await reader.one<{ fingerprint: string }>("select fingerprint from sealing limit 1");
  if (!sealed && !existsSync(path)) return good("nothing is sealed yet");
  readSealing(path, sealed?.fingerprint);
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return good("it is the one that secrets of subscribers are sealed with; back it up");
  return bad(`others can read it (mode ${mode.toString(8)}); run: chmod 600 ${path}`);
}

export function environment() {
  const dangerous = ["BUN_OPTIONS", "BUN_BE_BUN"].filter((name) => process.env[name] !== undefined);
  if (dangerous.length === 0) return good("nothing in the environment loads other code");
  return bad(`${dangerous.join(" and ")} can make this binary run other code; unset it for the service`);
}

function rows<R>(folder: string, sql: string): R[] {
  const db = openDatabase(databasePath(folder), { readonly: true });
  try {
    return db.query<R, []>(sql).all();
  } finally {
    db.close();
  }
}

/** Gives work a connection that cannot write. */
async function withReader<T>(folder: string, work: (reader: Reader) => Promise<T>): Promise<T> {
  const db = openDatabase(databasePath(folder), { readonly: true });
  const all = async <R extends Row>(sql: Sql, params: readonly Value[] = []) =>
    db.query<R, Value[]>(typeof sql === "string" ? sql : sql.sqlite).all(...params);
  try {
    return await work({
      engine: "sqlite",
      all,
      one: async <R extends Row>(sql: Sql, params: readonly Value[] = []) => (await all<R>(sql, params))[0],
    });
  } finally {
    db.close();
  }
}
