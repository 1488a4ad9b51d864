import type { Database } from "bun:sqlite";
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { syncFolder } from "../core/durable-file.ts";
import { copyKey, keyPath, readSealing } from "../core/open-sealing.ts";
import { attachmentPath } from "../store/local-files.ts";
import { databasePath, schemaOf } from "../store/migrate.ts";
import { applySegments, eachAttachment, KnownAttachments } from "./apply-segments.ts";
import type { ListedAttachment } from "./attachment-list.ts";
import { BackupRefused } from "./backup-refused.ts";
import { compareAttachments } from "./compare-attachments.ts";
import { openSoundDatabase, writeDatabase } from "./database-from-pieces.ts";
import { failureOfBackup } from "./failure-of-backup.ts";
import { findBackup } from "./find-backup.ts";
import { findMoment, type Moment } from "./find-moment.ts";
import { bytesOfFile } from "./folder-target.ts";
import type { Manifest } from "./manifest.ts";
import { readObject, readPiece } from "./read-object.ts";
import { readRestoreMark, removeRestoreMark, unfinished, writeRestoreMark } from "./restore-mark.ts";
import type { StoredObject } from "./stored-object.ts";
import type { BackupOutput, BackupTarget } from "./target.ts";

interface Input {
  target: BackupTarget;
  /** Undefined for the newest backup. */
  id: string | undefined;
  /** Restores the newest moment not after this time (epoch milliseconds), by segments of the log. */
  at?: number | undefined;
  /** The data directory, which must be missing or empty. */
  folder: string;
  /** The file with the sealing key, for a backup without secrets. */
  secretKey: string | undefined;
  /** The number of the newest schema that this binary knows. */
  schema: number;
  /** Keeps every other process away from the folder. */
  lock: (folder: string) => { release(): void };
  out: BackupOutput;
}

export interface Restored {
  manifest: Manifest;
  /** Epoch milliseconds: everything that was answered before was restored. */
  at: number;
  /** Segments of the log that were applied to the backup. */
  segments: number;
  holds: Pick<Manifest["holds"], "tickets" | "reports"> & { attachments: number; attachmentsMissing: number };
  /** Whether secrets of subscribers are sealed with a key that neither the backup has nor was given. */
  keyMissing: boolean;
}

/** Files that a restore leaves before its mark, when it is killed. */
const early = /^(restoring\.json(\.new)?|lock\.(db(-journal)?|json))$/;

/**
 * Restores a backup. A mark in the folder keeps servers away until everything was read back and compared; after a kill
 * at any moment the same call goes on.
 */
export async function restoreBackup(input: Input): Promise<Restored> {
  const folder = resolve(input.folder);
  const { target } = input;
  const mark = readRestoreMark(folder);
  requireEmpty(folder, mark !== undefined);
  const moment = await momentOf(input, mark);
  const manifest = moment.base;
  if (mark && (mark.id !== manifest.id || mark.from !== target.words || mark.at !== input.at)) {
    throw unfinished(folder, mark);
  }
  if (manifest.schema > input.schema) {
    throw new BackupRefused(
      `the backup ${manifest.id} has schema ${manifest.schema}, and this binary knows up to ${input.schema}; use intake ${manifest.intake} or newer`,
    );
  }
  let lock: ReturnType<Input["lock"]> | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!mark) requireRoom(folder, manifest);
    lock = input.lock(folder);
    requireEmpty(folder, mark !== undefined);
    writeRestoreMark(folder, { id: manifest.id, from: target.words, at: input.at });
    const restored = await restore(input, folder, moment);
    removeRestoreMark(folder);
    return { manifest, at: moment.at, segments: moment.segments.length, ...restored };
  } catch (error) {
    throw failureOfBackup(error, `${folder} or ${target.words}`);
  } finally {
    lock?.release();
  }
}

/** The backup and the segments to restore; no segments without a time. */
async function momentOf(
  { target, id, at }: Input,
  mark: ReturnType<typeof readRestoreMark>,
): Promise<Omit<Moment, "base"> & { base: Manifest }> {
  if (at === undefined) {
    const base = await findBackup(target, id ?? mark?.id);
    return { base, segments: [], at: Date.parse(base.asOf) };
  }
  try {
    return await findMoment(target, at, mark?.at === at ? mark.id : undefined);
  } catch (error) {
    throw failureOfBackup(error, target.words);
  }
}

async function restore(
  { target, out, secretKey, schema }: Input,
  folder: string,
  { base: manifest, segments }: Omit<Moment, "base"> & { base: Manifest },
): Promise<Pick<Restored, "keyMissing" | "holds">> {
  const path = databasePath(folder);
  // What an earlier run left when it was killed while it read the database.
  for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
  await writeDatabase(target, manifest, path, (share) => out.progress(`database: ${Math.floor(share * 100)} %`));
  const known = segments.length > 0 ? await openKnown(target, manifest, folder) : undefined;
  try {
    if (known) {
      const progress = (done: number) => out.progress(`segments of the log: ${done} of ${segments.length}`);
      await applySegments(target, { segments }, path, { attachments: known, progress });
    }
    out.progress("database: checking every page");
    const db = openSoundDatabase(known ? { id: manifest.id, schema: undefined } : manifest, path);
    const folders = new Set<string>();
    let keyMissing: boolean;
    let holds: Restored["holds"];
    try {
      requireKnownSchema(db, schema);
      mkdirSync(`${folder}/attachments`, { recursive: true, mode: 0o700 });
      const attachments = await attachmentsOf({ target, manifest, db, known }, out, (listed) => {
        return restoreAttachment(target, folder, listed, folders);
      });
      const [sealed] = db.query<{ fingerprint: string }, []>("select fingerprint from sealing limit 1").all();
      keyMissing = await restoreKey({ target, folder, manifest, secretKey, sealedWith: sealed?.fingerprint });
      holds = { ...countsOf(db), ...attachments };
    } finally {
      db.close();
    }
    for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
    for (const one of [...folders, `${folder}/attachments`, folder, dirname(folder)]) syncFolder(one);
    return { keyMissing, holds };
  } finally {
    known?.close();
    rmSync(knownPath(folder), { force: true });
  }
}

/** Restores the files of all rows, and says how many there are. */
async function attachmentsOf(
  { known, ...tools }: Parameters<typeof compareAttachments>[0] & { known: KnownAttachments | undefined },
  out: BackupOutput,
  each: (listed: ListedAttachment) => Promise<void>,
): Promise<{ attachments: number; attachmentsMissing: number }> {
  if (known) {
    const done = await eachAttachment(tools.db, known, each, (count) => out.progress(`attachments: ${count}`));
    return { attachments: done.files, attachmentsMissing: done.missing };
  }
  const { files, missing } = tools.manifest.attachments;
  await compareAttachments(tools, each, (count) => out.progress(`attachments: ${count} of ${files + missing}`));
  return { attachments: files, attachmentsMissing: missing };
}

function countsOf(db: Database): Pick<Manifest["holds"], "tickets" | "reports"> {
  return db
    .query<{ tickets: number; reports: number }, []>(
      "select (select count(*) from ticket) as tickets, (select count(*) from event) as reports",
    )
    .all()[0] as { tickets: number; reports: number };
}

async function openKnown(target: BackupTarget, { attachments }: Manifest, folder: string): Promise<KnownAttachments> {
  rmSync(knownPath(folder), { force: true });
  const known = new KnownAttachments(knownPath(folder));
  await known.addAllOf(target, attachments.list);
  return known;
}

function knownPath(folder: string): string {
  return `${folder}/restoring.db`;
}

/** A newer server may have changed the schema after the backup. */
function requireKnownSchema(db: Database, newest: number) {
  const found = schemaOf(db);
  if (found <= newest) return;
  throw new BackupRefused(
    `at that time the database had schema ${found}, and this binary knows up to ${newest}; use the intake that ran then, or a newer one`,
  );
}

/** Writes the file of an attachment unless an earlier run has done so, and reads it back. */
async function restoreAttachment(
  target: BackupTarget,
  folder: string,
  { id, object }: ListedAttachment,
  folders: Set<string>,
): Promise<void> {
  if (!object) return;
  const path = attachmentPath(folder, id);
  if (!folders.has(dirname(path))) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  folders.add(dirname(path));
  if (await holds(path, object)) return;
  await rm(path, { force: true });
  const file = await open(path, "wx", 0o600);
  try {
    for await (const some of readObject(target, object)) {
      for (let at = 0; at < some.length; ) at += (await file.write(some, at)).bytesWritten;
    }
    await file.datasync();
  } finally {
    await file.close();
  }
  if (!(await holds(path, object))) {
    throw new BackupRefused(`${path} has other bytes than were written to it: its disk fails; use another one`);
  }
}

async function holds(path: string, { sha256, bytes }: StoredObject): Promise<boolean> {
  if (statSync(path, { throwIfNoEntry: false })?.size !== bytes) return false;
  const digest = new Bun.CryptoHasher("sha256");
  for await (const some of await bytesOfFile(path)) digest.update(some);
  return digest.digest("hex") === sha256;
}

/** Returns whether a key is needed that is not there. */
async function restoreKey({
  target,
  folder,
  manifest,
  secretKey,
  sealedWith,
}: {
  target: BackupTarget;
  folder: string;
  manifest: Manifest;
  secretKey: string | undefined;
  sealedWith: string | undefined;
}): Promise<boolean> {
  const path = keyPath(folder);
  rmSync(path, { force: true });
  if (secretKey !== undefined) {
    readSealing(secretKey, sealedWith);
    copyKey(secretKey, path);
    return false;
  }
  if (!manifest.secretKey) return sealedWith !== undefined;
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(await readPiece(target, manifest.secretKey));
    await file.sync();
  } finally {
    await file.close();
  }
  readSealing(path, sealedWith);
  return false;
}

function requireEmpty(folder: string, marked: boolean) {
  if (marked || !existsSync(folder)) return;
  if (!statSync(folder).isDirectory()) {
    throw new BackupRefused(`${folder} is a file: a backup is restored to a new or an empty directory only`);
  }
  const [other] = readdirSync(folder).filter((name) => !early.test(name));
  if (other === undefined) return;
  throw new BackupRefused(
    `${folder} is not empty (${other}): a backup is restored to a new or an empty directory only`,
  );
}

function requireRoom(folder: string, { database, attachments }: Manifest) {
  const needed = database.bytes + attachments.bytes;
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= needed) return;
  throw new BackupRefused(
    `${folder} has ${Math.floor((bavail * bsize) / 1e6)} MB free, and the backup needs ${Math.ceil(needed / 1e6)} MB; make room, or use another disk`,
  );
}
