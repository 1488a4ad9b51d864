import { accessSync, constants, existsSync, statSync } from "node:fs";
import { newestTime, selectClockMark, selectNewestIds } from "../core/clock-mark.ts";
import { type ClockMark, clockAdvice, clockWords, judgeClock, machineTime } from "../core/judge-clock.ts";
import { keyPath, readSealing } from "../core/open-sealing.ts";
import { settings } from "../core/settings.ts";
import { freeSpace } from "../store/free-space.ts";
import { attachmentPath } from "../store/local-files.ts";
import { databasePath, migrationStatus } from "../store/migrate.ts";
import type { Migration } from "../store/migrations/index.ts";
import { openDatabase } from "../store/open-database.ts";

interface Finding {
  check: string;
  ok: boolean;
  /** What was found and, on a failure, what to do. */
  text: string;
}

/** The first SQLite without the bug that could corrupt a database when the log starts over. */
const soundSqlite = [3, 51, 3] as const;

/** Looks at a data directory without changing it; safe beside a live server. */
export function examine(folder: string, sqlite: string, known: readonly Migration[]): Finding[] {
  const schemaFinding = look("schema", () => schema(folder, known));
  return [
    look("permissions", () => permissions(folder)),
    look("free space", () => roomy(folder)),
    look("sqlite", () => sqliteIsSound(sqlite)),
    schemaFinding,
    look("integrity", () => integrity(folder)),
    look("foreign keys", () => foreignKeys(folder)),
    // The remaining checks read tables and columns that exist only in this version's schema.
    ...(schemaFinding.ok
      ? [
          look("clock", () => clock(folder)),
          look("attachments", () => attachments(folder)),
          look("secret key", () => secretKey(folder)),
        ]
      : []),
    look("environment", environment),
  ];
}

function look(check: string, find: () => Omit<Finding, "check">): Finding {
  try {
    return { check, ...find() };
  } catch (error) {
    return { check, ok: false, text: (error as Error).message };
  }
}

const good = (text: string) => ({ ok: true, text });
const bad = (text: string) => ({ ok: false, text });

function permissions(folder: string) {
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  accessSync(databasePath(folder), constants.R_OK | constants.W_OK);
  const mode = statSync(folder).mode & 0o777;
  if ((mode & 0o077) === 0) return good("only the owner can read the data directory");
  return bad(`others can look into the data directory (mode ${mode.toString(8)}); run: chmod 700 ${folder}`);
}

function roomy(folder: string) {
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
function clock(folder: string) {
  const kept = rows(folder, "select 1 from sqlite_schema where name = 'clock_mark'").length > 0;
  if (!kept) return good("it is judged once the schema is current");
  const [mark] = rows<ClockMark>(folder, selectClockMark);
  const ids = selectNewestIds.flatMap((select) => rows<{ id: string | null }>(folder, select));
  const [row] = rows<{ value: string }>(folder, "select value from setting where name = 'clock_gap_days'");
  const gapDays = row ? Number(row.value) : settings.clock_gap_days.default;
  const judgement = judgeClock(machineTime(), {
    mark,
    newestRow: newestTime(ids.map(({ id }) => id)),
    gap: gapDays * 86_400_000,
  });
  return judgement.trusted ? good("it agrees with the data") : bad(`${clockWords(judgement)}. ${clockAdvice}`);
}

/** Whether every attachment that a row names has its file, and of the right size. */
function attachments(folder: string) {
  const db = openDatabase(databasePath(folder), { readonly: true });
  try {
    let found = 0;
    const lost: string[] = [];
    const select = "select id, size from attachment where state <> 'missing'";
    for (const { id, size } of db.query<{ id: string; size: number }, []>(select).iterate()) {
      const there = statSync(attachmentPath(folder, id), { throwIfNoEntry: false })?.size === size;
      if (there) found++;
      else lost.push(id);
    }
    // A live server may have deleted the attachment meanwhile: it deletes the row before the file.
    const named = db.query("select 1 from attachment where id = ?1");
    const missing = lost.filter((id) => named.all(id).length > 0).length;
    return missing === 0
      ? good(`${found} attachments have their files`)
      : bad(`the files of ${missing} attachments are missing or cut; restore the folder attachments from a backup`);
  } finally {
    db.close();
  }
}

function secretKey(folder: string) {
  const path = keyPath(folder);
  const [sealed] = rows<{ fingerprint: string }>(folder, "select fingerprint from sealing limit 1");
  if (!sealed && !existsSync(path)) return good("nothing is sealed yet");
  readSealing(path, sealed?.fingerprint);
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) === 0) return good("it is the one that secrets of subscribers are sealed with; back it up");
  return bad(`others can read it (mode ${mode.toString(8)}); run: chmod 600 ${path}`);
}

function environment() {
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
