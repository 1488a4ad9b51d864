import type { Database } from "bun:sqlite";
import { closeSync, openSync, readSync, rmSync, statfsSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { freeSpace } from "../store/free-space.ts";
import { databasePath } from "../store/migrate.ts";
import { openDatabase } from "../store/open-database.ts";
import { WalFile } from "../store/wal-file.ts";
import { BackupRefused } from "./backup-refused.ts";
import { GiveWay } from "./give-way.ts";

/** A copy of the database that belongs to the backup alone. */
export interface DatabaseCopy {
  path: string;
  /** Epoch milliseconds: everything that was answered before is in the copy. */
  asOf: number;
  bytes: number;
  /** The place in the write-ahead log up to which it holds everything; its salts are null when there was no log. */
  log: { salts: string | null; frame: number };
}

const stepBytes = 1024 * 1024;
const walHeaderBytes = 32;

/**
 * Copies the database beside a running server, page by page, so that unchanged parts of it are the same bytes in the
 * next backup. A read transaction is open meanwhile, which keeps a checkpoint from writing anything to the file that is
 * not in the log as well, and the log from starting over. So the file and then the log, copied one after the other, are
 * what a crash at the second moment would have left: SQLite recovers every commit of the log, and drops a cut one.
 */
export async function copyDatabase(
  folder: string,
  path: string,
  progress: (share: number) => void,
): Promise<DatabaseCopy> {
  removeCopy(path);
  const source = databasePath(folder);
  const db = openDatabase(source, { readonly: true });
  // Closing a descriptor releases all locks of this process on the file (POSIX), so these are closed behind the connection.
  const descriptors: number[] = [];
  const openFile = (name: string) => {
    const descriptor = openSync(name, "r");
    descriptors.push(descriptor);
    return descriptor;
  };
  let asOf: number;
  try {
    requireRoom(source, path);
    db.run("begin");
    db.query("select count(*) from sqlite_schema").all();
    await copyFile(openFile(source), path, (copied) => progress(copied / (statSync(source).size + 1)));
    asOf = Date.now();
    await copyLog(`${source}-wal`, `${path}-wal`, openFile);
    db.run("rollback");
  } finally {
    db.close();
    for (const descriptor of descriptors) closeSync(descriptor);
  }
  const log = recover(path);
  return { path, asOf, bytes: statSync(path).size, log };
}

export function removeCopy(path: string) {
  for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(path + end, { force: true });
}

async function copyFile(from: number, path: string, progress: (copied: number) => void = () => {}): Promise<void> {
  const to = openSync(path, "w", 0o600);
  try {
    const buffer = Buffer.allocUnsafe(stepBytes);
    const giveWay = new GiveWay();
    for (let at = 0; ; ) {
      const read = readSync(from, buffer, 0, stepBytes, at);
      if (read === 0) break;
      for (let written = 0; written < read; ) written += writeSync(to, buffer, written, read - written, at + written);
      at += read;
      progress(at);
      await giveWay.pause();
    }
  } finally {
    closeSync(to);
  }
}

/**
 * Copies the log. When everything in it stood in the database before the read transaction began, it may start over once,
 * which the salt in its header tells: a copy of two halves would bring back old pages, and is made again.
 */
async function copyLog(from: string, path: string, openFile: (name: string) => number): Promise<void> {
  if (!statSync(from, { throwIfNoEntry: false })) return;
  const log = openFile(from);
  for (;;) {
    const before = headerOf(log);
    await copyFile(log, path);
    if (before.equals(headerOf(log))) return;
  }
}

function headerOf(log: number): Buffer {
  const header = Buffer.alloc(walHeaderBytes);
  readSync(log, header, 0, walHeaderBytes, 0);
  return header;
}

/** Brings the copied log into the copy of the database. Returns how much of the log there was. */
function recover(path: string): DatabaseCopy["log"] {
  let db: Database | undefined;
  try {
    db = openDatabase(path);
    const log = logOf(db, path);
    // The copy is read once and removed: nothing of it has to reach the disk, which the server's commits need.
    db.run("pragma synchronous = off");
    db.query("pragma wal_checkpoint(truncate)").all();
    const [answer] = db.query<{ quick_check: string }, []>("pragma quick_check(1)").all();
    if (answer?.quick_check !== "ok") throw unsound();
    return log;
  } catch (error) {
    const { code = "" } = error as { code?: string };
    throw /^SQLITE_(CORRUPT|NOTADB)/.test(code) ? unsound() : error;
  } finally {
    db?.close();
  }
}

function logOf(db: Database, path: string): DatabaseCopy["log"] {
  // Reading makes SQLite look for what of the log is whole.
  db.query("select count(*) from sqlite_schema").all();
  const [found] = db.query<{ log: number }, []>("pragma wal_checkpoint(noop)").all();
  const wal = new WalFile(`${path}-wal`);
  try {
    const salts = wal.header()?.salts;
    return found && found.log > 0 && salts !== undefined ? { salts, frame: found.log } : { salts: null, frame: 0 };
  } finally {
    wal.close();
  }
}

function unsound(): BackupRefused {
  return new BackupRefused(
    "the database is damaged, so no backup was made; run intake doctor, and restore the newest backup that intake backup verify finds sound",
  );
}

/** Throws unless there is room for the copy, and for what the server keeps free where it is on the server's disk. */
function requireRoom(source: string, path: string) {
  const wal = statSync(`${source}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const folder = dirname(path);
  const shared = statSync(folder).dev === statSync(source).dev;
  const needed = statSync(source).size + 2 * wal + (shared ? freeSpace(folder).keptFree : 0);
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= needed) return;
  throw new BackupRefused(
    `${folder} has ${megabytes(bavail * bsize)} free, and the copy of the database needs ${megabytes(needed)} there for a while; make room`,
  );
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}
