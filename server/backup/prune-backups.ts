import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readAttachmentList } from "./attachment-list.ts";
import { BackupRefused } from "./backup-refused.ts";
import { failureOfBackup } from "./failure-of-backup.ts";
import { type KeepRule, keptIds } from "./keep-rule.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { objectGroups, type StoredObject } from "./stored-object.ts";
import type { BackupOutput, BackupTarget, TargetLock } from "./target.ts";

export interface Pruned {
  kept: string[];
  removed: string[];
  objectsRemoved: number;
  bytesRemoved: number;
}

/** Objects that are removed between two looks at the lock. */
const lookObjects = 100;

/**
 * Removes backups that the rule does not keep, and then every object that no backup needs, such as those that a killed
 * run has left. Manifests go first, so that a kill leaves no backup without its objects.
 */
export async function pruneBackups(
  { target, keep, dryRun }: { target: BackupTarget; keep: KeepRule; dryRun: boolean },
  out: BackupOutput,
): Promise<Pruned> {
  let lock: TargetLock | undefined;
  let folder: string | undefined;
  try {
    lock = await target.lock();
    const manifests = await manifestsOf(target);
    // Without any backup everything would be removed: the folder is more likely not the one that was meant.
    if (manifests.length === 0) throw new BackupRefused(`there is no backup in ${target.words}`);
    const kept = keptIds(keep, manifests);
    const removed = manifests.map(({ id }) => id).filter((id) => !kept.has(id));
    folder = mkdtempSync(join(target.scratch ?? tmpdir(), "intake-prune-"));
    const needed = new NeededObjects(`${folder}/needed.db`);
    try {
      for (const manifest of manifests) if (kept.has(manifest.id)) await needed.addAllOf(target, manifest);
      for (const id of removed) {
        await lock.require();
        if (!dryRun) await target.removeManifest(id);
        out.progress(`removing the backup ${id}`);
      }
      const swept = await sweep({ target, lock, needed, dryRun }, out);
      return { kept: [...kept].sort(), removed, ...swept };
    } finally {
      needed.close();
    }
  } catch (error) {
    throw failureOfBackup(error, target.words);
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    await lock?.release();
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
  { target, lock, needed, dryRun }: { target: BackupTarget; lock: TargetLock; needed: NeededObjects; dryRun: boolean },
  out: BackupOutput,
): Promise<{ objectsRemoved: number; bytesRemoved: number }> {
  const done = { objectsRemoved: 0, bytesRemoved: 0 };
  for (const group of objectGroups) {
    for await (const { sha256, bytes } of target.objects(group)) {
      if (needed.has(sha256)) continue;
      if (done.objectsRemoved % lookObjects === 0) await lock.require();
      if (!dryRun) await target.removeObject(sha256);
      done.objectsRemoved++;
      done.bytesRemoved += Math.max(0, bytes);
    }
    out.progress(`objects: ${Math.floor((Number.parseInt(group, 16) / objectGroups.length) * 100)} %`);
  }
  return done;
}

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
