import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { BackupRefused } from "../backup/backup-refused.ts";
import { requireRestored } from "../backup/restore-mark.ts";
import { databasePath } from "../store/migrate.ts";
import { DataFolderUnusable } from "./data-folder-unusable.ts";
import { endLeftGoingBack } from "./left-going-back.ts";
import { DataDirectoryLocked } from "./lock.ts";
import { requireNotMoved } from "./moved-folder.ts";

/** Makes the data directory when it is missing, for its owner only. */
export function makeDataFolder(path: string): string {
  const folder = resolve(path);
  const named = `the data directory ${folder}`;
  try {
    if (!existsSync(folder)) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      chmodSync(folder, 0o700);
    }
  } catch (error) {
    throw unusable(named, `it cannot be made (${codeOf(error)})`);
  }
  requireUsable(folder);
  return folder;
}

/** Throws when the data directory exists and this user cannot use it. Creates nothing. */
export function requireUsable(path: string) {
  const folder = resolve(path);
  const named = `the data directory ${folder}`;
  const there = statSync(folder, { throwIfNoEntry: false });
  if (!there) return;
  if (!there.isDirectory()) throw unusable(named, "it is not a directory (ENOTDIR)");
  requireRights(folder, named, ["read", "write", "open"]);
  requireRestored(folder);
  endLeftGoingBack(folder);
  requireDatabaseRights(folder);
}

/** The data directory for commands that do not create one: throws when it is missing. */
export function requireDataFolder(path: string): string {
  const folder = resolve(path);
  requireDatabase(folder);
  return makeDataFolder(folder);
}

const expected = [DataFolderUnusable, DataDirectoryLocked, BackupRefused];

/** Throws unless there is a database to use, and says whether there is none, it was moved, or this user cannot see it. */
export function requireDatabase(folder: string) {
  const named = `the data directory ${folder}`;
  try {
    requireRestored(folder);
    requireNotMoved(folder);
    endLeftGoingBack(folder);
    if (statSync(databasePath(folder), { throwIfNoEntry: false })) return;
  } catch (error) {
    if (expected.some((kind) => error instanceof kind)) throw error;
    const code = codeOf(error);
    if (code !== "ENOTDIR" && existsSync(folder)) requireRights(folder, named, ["read", "write", "open"]);
    if (code !== "ENOTDIR") throw unusable(named, `this user may not look into it or a directory above it (${code})`);
  }
  throw new DataFolderUnusable(`there is no Intake database in ${folder}; run \`intake init\` first, or give --data`);
}

/**
 * Throws unless this user may read and write the database file and the files that SQLite keeps beside it. Call it before
 * SQLite opens them: opening a database that cannot be written leaves files behind that cannot be written either.
 */
function requireDatabaseRights(folder: string) {
  for (const end of ["", "-wal", "-shm"]) {
    const file = `${databasePath(folder)}${end}`;
    if (existsSync(file)) requireRights(file, file, ["read", "write"]);
  }
}

const rights = { read: constants.R_OK, write: constants.W_OK, open: constants.X_OK };

function requireRights(path: string, named: string, wanted: (keyof typeof rights)[]) {
  const missing = wanted.map((right) => ({ right, code: refusal(path, rights[right]) })).filter(({ code }) => code);
  const [first] = missing;
  if (!first) return;
  if (first.code === "EROFS") throw unusable(named, "its file system is read-only (EROFS)");
  const words = missing.map(({ right }) => right);
  const last = words.pop();
  throw unusable(
    named,
    `this user may not ${words.length > 0 ? `${words.join(", ")} and ` : ""}${last} it (${first.code})`,
  );
}

/** The system's reason why this user may not use the path; undefined when the user may. */
function refusal(path: string, right: number): string | undefined {
  try {
    accessSync(path, right);
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? "unknown";
}

function unusable(named: string, cause: string): DataFolderUnusable {
  return new DataFolderUnusable(
    `${named} cannot be used: ${cause}; give this user the right, or choose another directory with --data`,
  );
}
