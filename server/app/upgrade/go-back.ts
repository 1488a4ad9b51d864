import type { Database } from "bun:sqlite";
import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  statfsSync,
  statSync,
} from "node:fs";
import { resolve } from "node:path";
import { syncFile, syncFolder } from "../../core/durable-file.ts";
import { readSealing } from "../../core/open-sealing.ts";
import { Ballast } from "../../store/ballast.ts";
import { databasePath, MigrationRefused, requireKnown, schemaOf } from "../../store/migrate.ts";
import type { Migration } from "../../store/migrations/index.ts";
import { openDatabase } from "../../store/open-database.ts";
import { isFull } from "../../store/sqlite-errors.ts";
import { copiesFolder, listCopies, newCopyPath, type UpgradeCopy } from "../../store/upgrade-copies.ts";
import { megabytes } from "../../store/upgrade-space.ts";
import { faultOfCopy } from "../../store/verify-copy.ts";
import { draftPath, endGoingBack, writeBackMark } from "../back-mark.ts";
import { DataLock } from "../lock.ts";
import { giveSecondName, keepAttachments, putAttachmentsBack } from "./attachments-beside.ts";
import { rowsSinceCopy, type SinceCopy } from "./rows-since-copy.ts";

interface Input {
  folder: string;
  /** The name or path of a copy; undefined for the one that the newest upgrade made. */
  copy: string | undefined;
  known: readonly Migration[];
  /** The file with the sealing key. */
  secretKey: string;
  /** Asked before anything is changed, once the copy is known to be sound. */
  confirm: (planned: PlannedBack) => Promise<boolean>;
  progress: (text: string) => void;
}

export interface PlannedBack extends SinceCopy {
  copy: string;
  madeAt: string;
  schema: { from: number; to: number };
}

export interface WentBack extends PlannedBack {
  /** Where the database is kept that the copy has replaced. */
  kept: string;
  /** Files of attachments that are kept with it, because the copy does not name them. */
  keptAttachments: number;
}

const slackBytes = 4 * 1024 * 1024;

/**
 * Puts a copy of the database in the place of the database, which is kept as a copy that can be gone back to as well.
 * After a kill at any moment the database is the one or the other, whole, and whoever takes the lock next removes what
 * was left. Undefined when it was not confirmed.
 */
export async function goBack(input: Input): Promise<WentBack | undefined> {
  const { folder, progress } = input;
  const lock = new DataLock(folder, "migrate back");
  try {
    const current = withDatabase(folder, (db) => schemaOf(db));
    const copy = chosenCopy(folder, input.copy, current);
    progress(`reading all of ${copy.path}`);
    requireSound(copy, input.known);
    const since = withDatabase(folder, (db) => {
      requireFamily(db, copy, input.secretKey);
      return rowsSinceCopy(db, copy.path);
    });
    const schema = { from: current, to: copy.from };
    const planned = { copy: copy.path, madeAt: copy.madeAt, schema, ...since };
    if (!(await input.confirm(planned))) return undefined;
    requireRoom(folder, copy);
    return { ...planned, ...(await replaceDatabase(folder, copy, schema, progress)) };
  } finally {
    lock.release();
  }
}

async function replaceDatabase(
  folder: string,
  copy: UpgradeCopy,
  schema: PlannedBack["schema"],
  progress: (text: string) => void,
): Promise<Pick<WentBack, "kept" | "keptAttachments">> {
  const [path, draft, kept] = [databasePath(folder), draftPath(folder), newCopyPath(folder, schema)];
  try {
    mkdirSync(copiesFolder(folder), { recursive: true, mode: 0o700 });
    writeBackMark(folder, { kept });
    progress(`copying ${copy.path}`);
    makeDraft(copy, draft, path);
    syncFolder(folder);
    progress("keeping the files of attachments");
    const keptAttachments = await keepAttachments(folder, draft, kept);
    putAttachmentsBack(folder, copy.path);
    progress("putting the copy in the place of the database");
    withDatabase(folder, (db) => {
      takeAlone(db);
      // A journal that came back after a power cut would be played into the copy.
      syncFolder(folder);
      giveSecondName(path, kept);
      syncFolder(copiesFolder(folder));
      renameSync(draft, path);
    });
    return { kept, keptAttachments };
  } catch (error) {
    if (error instanceof MigrationRefused) throw error;
    const { code = "", message } = error as { code?: string; message: string };
    const reason = isFull(code) ? `the disk is full (${code}); make room` : code || message;
    throw new MigrationRefused(`going back stopped, and the database is as it was: ${reason}`);
  } finally {
    endGoingBack(folder);
  }
}

/** Work on the database alone, under the lock of the folder: the last connection that closes removes the log. */
function withDatabase<T>(folder: string, work: (db: Database) => T): T {
  let db: Database | undefined;
  try {
    db = openDatabase(databasePath(folder));
    return work(db);
  } catch (error) {
    const { code = "" } = error as { code?: string };
    if (!/^SQLITE_(CORRUPT|NOTADB)/.test(code)) throw error;
    throw new MigrationRefused(
      `the database is damaged (${code}), so it cannot be said what going back would lose; keep a copy of the directory and restore a backup, or put the copy in its place by hand`,
    );
  } finally {
    db?.close();
  }
}

/**
 * Copies the log into the database and removes it, which only works while no other connection is open, and keeps other
 * connections out: a command that had the file open would write a log beside the copy.
 */
function takeAlone(db: Database) {
  try {
    db.run("pragma busy_timeout = 0");
    db.query("pragma journal_mode = delete").all();
    db.run("begin exclusive");
  } catch (error) {
    if (!String((error as { code?: string }).code).startsWith("SQLITE_BUSY")) throw error;
    throw new MigrationRefused("another command uses the database; wait until it has ended. Nothing was changed");
  }
}

function chosenCopy(folder: string, given: string | undefined, current: number): UpgradeCopy {
  const copies = listCopies(folder);
  if (given !== undefined) {
    const path = given.includes("/") ? resolve(given) : `${copiesFolder(folder)}/${given}`;
    const copy = copies.find((one) => one.path === path);
    if (copy) return copy;
    throw new MigrationRefused(
      `${path} is no copy that an upgrade of this data directory made; intake migrate copies lists them`,
    );
  }
  const [newest] = copies.filter(({ begun }) => !begun);
  if (newest && newest.to === current && newest.from < current) return newest;
  throw new MigrationRefused(
    newest
      ? `the newest copy (${newest.path}, schema ${newest.from}) is not from before an upgrade to schema ${current}, which the database has; name the copy to go back to, as intake migrate copies lists them`
      : "there is no copy to go back to: no upgrade has made one, or it was removed",
  );
}

function requireSound(copy: UpgradeCopy, known: readonly Migration[]) {
  const refused = (why: string) => new MigrationRefused(`${copy.path} cannot take the place of the database: ${why}`);
  const newest = known.at(-1)?.number ?? 0;
  if (copy.from > newest) {
    throw refused(`it has schema ${copy.from}, and this binary knows up to ${newest}; use the newer intake for it`);
  }
  if ((statSync(`${copy.path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw refused("something has opened and changed it, and its log beside it was not copied into it");
  }
  const fault = faultOfCopy(copy);
  if (fault !== undefined) throw refused(fault);
  const db = openDatabase(copy.path, { readonly: true });
  try {
    requireKnown(db, known);
  } finally {
    db.close();
  }
}

/** Throws when the copy is of another installation, or its secrets are sealed with another key. */
function requireFamily(db: Database, copy: UpgradeCopy, secretKey: string) {
  const other = openDatabase(copy.path, { readonly: true });
  try {
    const organisation = "select id from organisation limit 1";
    const [here, there] = [db, other].map((one) => one.query<{ id: string }, []>(organisation).all()[0]?.id);
    if (here !== undefined && there !== undefined && here !== there) {
      throw new MigrationRefused(`${copy.path} is of another installation, and cannot take the place of the database`);
    }
    const sealing = other.query("select 1 from sqlite_schema where name = 'sealing'").all().length > 0;
    const sealedWith = sealing
      ? other.query<{ fingerprint: string }, []>("select fingerprint from sealing limit 1").all()[0]?.fingerprint
      : undefined;
    if (sealedWith !== undefined) readSealing(secretKey, sealedWith);
  } finally {
    other.close();
  }
}

/** Throws unless there is room for the draft, and for the log that is copied into the database. */
function requireRoom(folder: string, { bytes }: UpgradeCopy) {
  const log = statSync(`${databasePath(folder)}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const needed = bytes + log + slackBytes;
  const free = () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  if (free() >= needed || (new Ballast(folder).giveUp() && free() >= needed)) return;
  throw new MigrationRefused(
    `there is no room to go back: that needs ${megabytes(needed)} free for ${folder}, and ${megabytes(free())} are. Nothing was changed`,
  );
}

/** Copies the copy, for the user that the database belongs to, and reads all of what was written. */
function makeDraft(copy: UpgradeCopy, draft: string, database: string) {
  copyFileSync(copy.path, draft, constants.COPYFILE_FICLONE);
  const { uid, gid } = statSync(database);
  if (statSync(draft).uid !== uid) chownSync(draft, uid, gid);
  chmodSync(draft, 0o600);
  syncFile(draft);
  const fault = faultOfCopy({ ...copy, path: draft });
  if (fault !== undefined) throw new MigrationRefused(`the copy of ${copy.path} is not sound: ${fault}`);
  if (existsSync(`${draft}-wal`)) throw new MigrationRefused(`${copy.path} needs a log beside it`);
}
