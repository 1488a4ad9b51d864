import { Database } from "bun:sqlite";
import { tmpdir } from "node:os";
import { type KeepRule, keptIds } from "../core/keep-rule.ts";
import { readAttachmentList } from "./attachment-list.ts";
import { BackupRefused } from "./backup-refused.ts";
import { failureOfBackup } from "./failure-of-backup.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { neededForLog } from "./needed-segments.ts";
import { withScratchFolder } from "./scratch-folder.ts";
import { readHead } from "./segment.ts";
import type { SegmentName } from "./segment-name.ts";
import { objectGroups, type StoredObject } from "./stored-object.ts";
import { type BackupOutput, type BackupTarget, ObjectsLocked, type TargetLock } from "./target.ts";

interface Input {
  target: BackupTarget;
  keep: KeepRule;
  /** A backup that stays whatever the rule says, such as the newest one that was read back. */
  keepId?: string | undefined;
  logDays: number;
  dryRun: boolean;
}

export interface Pruned {
  kept: string[];
  removed: string[];
  objectsRemoved: number;
  bytesRemoved: number;
  segmentsRemoved: number;
}

/** Objects that are removed between two looks at the lock. */
const lookObjects = 100;

/**
 * Removes backups that the rule does not keep, segments of the log that lead to no moment of the last days, and then every
 * object that neither needs, such as those that a killed run has left. Manifests go first, so that a kill leaves no backup without its objects.
 */
export async function pruneBackups(
  { target, keep, keepId, logDays, dryRun }: Input,
  out: BackupOutput,
): Promise<Pruned> {
  let lock: TargetLock | undefined;
  let objectsLock: TargetLock | undefined;
  try {
    const held = await target.lock();
    lock = held;
    const manifests = await manifestsOf(target);
    // Without any backup everything would be removed: the folder is more likely not the one that was meant.
    if (manifests.length === 0) throw new BackupRefused(`there is no backup in ${target.words}`);
    const objects = await lockObjects(target);
    objectsLock = objects;
    const segments = await target.segments();
    const ofLog = neededForLog(segments, manifests, { days: logDays, now: Date.now() });
    const chosen = manifests.filter(({ id }) => id === keepId).map(({ id }) => id);
    const kept = new Set([...keptIds(keep, manifests), ...chosen, ...ofLog.bases]);
    const removed = manifests.map(({ id }) => id).filter((id) => !kept.has(id));
    const stay = manifests.filter(({ id }) => kept.has(id));
    const neededSegments = new Set(ofLog.segments);
    const unneeded = segments.filter((segment) => !neededSegments.has(segment));
    return await withScratchFolder(target.scratch ?? tmpdir(), "prune", async (folder) => {
      const needed = new NeededObjects(`${folder}/needed.db`);
      try {
        for (const manifest of stay) await needed.addAllOf(target, manifest);
        await needed.addAllOfSegments(target, ofLog.segments);
        for (const id of removed) {
          await held.require();
          if (!dryRun) await target.removeManifest(id);
          out.progress(`removing the backup ${id}`);
        }
        for (const [i, segment] of unneeded.entries()) {
          if (i % lookObjects === 0) await held.require();
          if (!dryRun) await target.removeSegment(segment);
        }
        const swept = await sweep({ target, locks: [held, objects], needed, dryRun }, out);
        return { kept: [...kept].sort(), removed, ...swept, segmentsRemoved: unneeded.length };
      } finally {
        needed.close();
      }
    });
  } catch (error) {
    throw failureOfBackup(error, target.words);
  } finally {
    await objectsLock?.release();
    await lock?.release();
  }
}

const lockTries = 120;
const lockPauseMilliseconds = 1_000;

/** Whoever ships the log holds the lock for a moment only. */
async function lockObjects(target: BackupTarget): Promise<TargetLock> {
  for (let tries = 1; ; tries++) {
    try {
      return await target.lockObjects();
    } catch (error) {
      if (!(error instanceof ObjectsLocked) || tries >= lockTries) throw error;
      await Bun.sleep(lockPauseMilliseconds);
    }
  }
}

/** Every manifest, oldest first: objects of one that cannot be read would be taken for objects that nothing needs. */
async function manifestsOf(target: BackupTarget): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  for (const id of await target.ids()) {
    const text = await target.manifest(id);
    if (text === undefined) throw new BackupRefused(`the manifest of the backup ${id} cannot be read; try again`);
    manifests.push(readManifest(id, text));
  }
  return manifests;
}

async function sweep(
  {
    target,
    locks,
    needed,
    dryRun,
  }: { target: BackupTarget; locks: TargetLock[]; needed: NeededObjects; dryRun: boolean },
  out: BackupOutput,
): Promise<{ objectsRemoved: number; bytesRemoved: number }> {
  const done = { objectsRemoved: 0, bytesRemoved: 0 };
  for (const group of objectGroups) {
    for await (const { sha256, bytes } of target.objects(group)) {
      if (needed.has(sha256)) continue;
      if (done.objectsRemoved % lookObjects === 0) for (const lock of locks) await lock.require();
      if (!dryRun) await target.removeObject(sha256);
      done.objectsRemoved++;
      done.bytesRemoved += Math.max(0, bytes);
    }
    out.progress(`objects: ${Math.floor((Number.parseInt(group, 16) / objectGroups.length) * 100)} %`);
  }
  return done;
}

/** Segments whose heads are read at once. */
const headsAtOnce = 8;

/** The digests of all objects that kept backups need, in a file: there may be many millions. */
class NeededObjects {
  readonly #db: Database;

  constructor(path: string) {
    this.#db = new Database(path, { create: true, strict: true });
    this.#db.run("pragma journal_mode = off");
    this.#db.run("pragma synchronous = off");
    this.#db.run("create table needed (sha256 blob primary key) strict, without rowid");
  }

  async addAllOf(target: BackupTarget, { database, attachments, secretKey }: Manifest): Promise<void> {
    this.#add([...database.pieces, ...attachments.list, ...(secretKey ? [secretKey] : [])]);
    let some: StoredObject[] = [];
    for await (const { object } of readAttachmentList(target, attachments.list)) {
      if (!object || object.sha256 === some.at(-1)?.sha256) continue;
      if (some.push(object) < 10_000) continue;
      this.#add(some);
      some = [];
    }
    this.#add(some);
  }

  async addAllOfSegments(target: BackupTarget, segments: readonly SegmentName[]): Promise<void> {
    const some = segments.filter(({ files }) => files);
    for (let i = 0; i < some.length; i += headsAtOnce) {
      const heads = await Promise.all(some.slice(i, i + headsAtOnce).map((segment) => readHead(target, segment)));
      this.#add(heads.flatMap(({ attachments }) => attachments.flatMap(({ object }) => object ?? [])));
    }
  }

  has(sha256: string): boolean {
    return this.#db.query("select 1 from needed where sha256 = ?1").all(Buffer.from(sha256, "hex")).length > 0;
  }

  close() {
    this.#db.close();
  }

  #add(objects: readonly StoredObject[]) {
    const insert = this.#db.query("insert or ignore into needed (sha256) values (?1)");
    this.#db.transaction(() => {
      for (const { sha256 } of objects) insert.run(Buffer.from(sha256, "hex"));
    })();
  }
}
