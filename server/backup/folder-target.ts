import { constants, existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { type FileHandle, lstat, open, opendir, readFile, rename, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "../core/durable-file.ts";
import { lockFile } from "../core/lock-file.ts";
import { BackupRefused } from "./backup-refused.ts";
import { GiveWay } from "./give-way.ts";
import { isBackupId, manifestBytesMax } from "./manifest.ts";
import { ObjectDamaged } from "./read-object.ts";
import { SegmentDamaged } from "./segment.ts";
import { inOrder, isChain, pathOfSegment, type SegmentName, segmentOfPath } from "./segment-name.ts";
import { isDigest, objectGroups, type StoredObject } from "./stored-object.ts";
import { type BackupTarget, type ObjectSource, ObjectsLocked, type TargetLock } from "./target.ts";

/** What a run that was killed may have left: a file that it wrote, its copy of the database, its list of objects. */
const leftOver = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|snapshot\.db(-wal|-shm|-journal)?|intake-prune-\w+)$/;
const readBytes = 1024 * 1024;
const syncedBytes = 512 * 1024;
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/**
 * Backups in a folder: `backups/ID.json`, `objects/AB/DIGEST`, and `unfinished/`, which a killed run leaves. A file is
 * written there, synced and moved to its place; symbolic links are not followed.
 */
export class FolderTarget implements BackupTarget {
  readonly #folder: string;
  readonly words: string;
  readonly scratch: string;
  readonly #giveWay = new GiveWay();
  /** Groups whose folders are there. */
  readonly #made = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
    this.words = `the folder ${folder}`;
    this.scratch = `${folder}/unfinished`;
  }

  async lock(): Promise<TargetLock> {
    for (const name of ["", "/backups", "/objects", "/unfinished"]) {
      mkdirSync(`${this.#folder}${name}`, { recursive: true, mode: 0o700 });
    }
    const taken = () =>
      new BackupRefused(`another run of intake backup writes to ${this.words}; wait until it has ended`);
    const lock = lockFile(`${this.#folder}/lock.db`, taken);
    for (const name of readdirSync(this.scratch)) {
      if (leftOver.test(name)) rmSync(`${this.scratch}/${name}`, { recursive: true, force: true });
    }
    return { require: async () => {}, release: async () => lock.release() };
  }

  async lockObjects(): Promise<TargetLock> {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const lock = lockFile(`${this.#folder}/objects.lock.db`, () => new ObjectsLocked(this.words));
    return { require: async () => {}, release: async () => lock.release() };
  }

  async ids(): Promise<string[]> {
    const names = await namesIn(`${this.#folder}/backups`);
    return names
      .map((name) => name.replace(/\.json$/, ""))
      .filter((id, i) => id !== names[i] && isBackupId(id))
      .sort();
  }

  async manifest(id: string): Promise<string | undefined> {
    try {
      const { size } = await lstat(this.#manifestPath(id));
      if (size > manifestBytesMax)
        throw new BackupRefused(`the manifest of the backup ${id} is damaged: ${size} bytes`);
      return await readFile(this.#manifestPath(id), { encoding: "utf8", flag: O_RDONLY | O_NOFOLLOW | O_NONBLOCK });
    } catch (error) {
      if ((error as { code?: string }).code === "ENOENT") return undefined;
      throw error;
    }
  }

  async addManifest(id: string, text: string): Promise<void> {
    // Of objects that a killed run has stored, the names may not be durable either.
    for (const group of objectGroups) {
      if (existsSync(`${this.#folder}/objects/${group}`)) syncFolder(`${this.#folder}/objects/${group}`);
    }
    syncFolder(`${this.#folder}/objects`);
    await this.#write(Buffer.from(text), this.#manifestPath(id));
    syncFolder(`${this.#folder}/backups`);
    syncFolder(this.#folder);
    syncFolder(dirname(this.#folder));
  }

  async removeManifest(id: string): Promise<void> {
    await rm(this.#manifestPath(id), { force: true });
    syncFolder(`${this.#folder}/backups`);
  }

  async *objects(group: string): AsyncGenerator<StoredObject> {
    const folder = `${this.#folder}/objects/${group}`;
    let names: Awaited<ReturnType<typeof opendir>>;
    try {
      names = await opendir(folder);
    } catch (error) {
      if ((error as { code?: string }).code === "ENOENT") return;
      throw error;
    }
    for await (const { name } of names) {
      if (!isDigest(name) || !name.startsWith(group)) continue;
      const found = lstatSync(`${folder}/${name}`);
      yield { sha256: name, bytes: found.isFile() ? found.size : -1 };
    }
  }

  async sizeOf(sha256: string): Promise<number | undefined> {
    const found = await lstat(this.#objectPath(sha256)).catch((error: { code?: string }) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    return found?.isFile() ? found.size : undefined;
  }

  async put({ sha256, bytes }: StoredObject, source: ObjectSource): Promise<boolean> {
    if ((await this.sizeOf(sha256)) === bytes) return false;
    const folder = `${this.#folder}/objects/${sha256.slice(0, 2)}`;
    mkdirSync(this.scratch, { recursive: true, mode: 0o700 });
    if (!this.#made.has(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#made.add(folder);
    await this.#write(source, `${folder}/${sha256}`, { sha256, bytes });
    return true;
  }

  async open(object: StoredObject): Promise<AsyncIterable<Uint8Array>> {
    let file: FileHandle;
    try {
      file = await open(this.#objectPath(object.sha256), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === "ENOENT") throw new ObjectDamaged(this, object, "is missing");
      if (code === "ELOOP") throw new ObjectDamaged(this, object, "is a symbolic link");
      throw error;
    }
    if ((await file.stat()).isFile()) return bytesIn(file);
    await file.close();
    throw new ObjectDamaged(this, object, "is no file");
  }

  async removeObject(sha256: string): Promise<void> {
    await rm(this.#objectPath(sha256), { force: true });
  }

  async segments(only?: string): Promise<SegmentName[]> {
    const found: SegmentName[] = [];
    for (const chain of only === undefined ? await namesIn(`${this.#folder}/log`) : [only]) {
      if (!isChain(chain)) continue;
      for (const name of await namesIn(`${this.#folder}/log/${chain}`)) {
        const { size } = lstatSync(`${this.#folder}/log/${chain}/${name}`);
        const segment = segmentOfPath(`${chain}/${name}`, size);
        if (segment) found.push(segment);
      }
    }
    return inOrder(found);
  }

  async putSegment(segment: SegmentName, source: ObjectSource): Promise<void> {
    const log = `${this.#folder}/log`;
    const chain = `${log}/${segment.chain}`;
    for (const folder of [this.scratch, chain]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    // The names of the objects that the segment needs are durable before its own.
    for (const folder of this.#made) syncFolder(folder);
    if (this.#made.size > 0) syncFolder(`${this.#folder}/objects`);
    this.#made.clear();
    await this.#write(source, `${log}/${pathOfSegment(segment)}`, segment);
    for (const folder of [chain, log, this.#folder]) syncFolder(folder);
  }

  async openSegment(segment: SegmentName): Promise<AsyncIterable<Uint8Array>> {
    try {
      return bytesIn(await open(`${this.#folder}/log/${pathOfSegment(segment)}`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === "ENOENT" || code === "ELOOP") throw new SegmentDamaged(this, segment, "is missing");
      throw error;
    }
  }

  async removeSegment(segment: SegmentName): Promise<void> {
    await rm(`${this.#folder}/log/${pathOfSegment(segment)}`, { force: true });
    const chain = `${this.#folder}/log/${segment.chain}`;
    if ((await namesIn(chain)).length === 0) await rmdir(chain).catch(() => {});
  }

  /** Writes a file that is durable, and whole or absent, but for its name, when this resolves. */
  async #write(source: ObjectSource, path: string, expected?: StoredObject): Promise<void> {
    const draft = `${this.scratch}/${crypto.randomUUID()}`;
    const file = await open(draft, "wx", 0o600);
    try {
      const digest = new Bun.CryptoHasher("sha256");
      const from = source instanceof Uint8Array ? [source] : await bytesOfFile(source.path);
      for await (const some of from) {
        digest.update(some);
        await this.#writeSynced(file, some);
      }
      if (expected && digest.digest("hex") !== expected.sha256) {
        throw new BackupRefused("a file changed while it was copied; run the same command again");
      }
    } catch (error) {
      await file.close();
      await rm(draft, { force: true });
      throw error;
    }
    await file.close();
    await rename(draft, path);
  }

  /** In small steps with pauses between them: a commit of the server may wait for a sync on the same disk. */
  async #writeSynced(file: FileHandle, bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, at, Math.min(syncedBytes, bytes.length - at));
      at += bytesWritten;
      await file.datasync();
      await this.#giveWay.pause();
    }
  }

  #manifestPath(id: string): string {
    return `${this.#folder}/backups/${id}.json`;
  }

  #objectPath(sha256: string): string {
    return `${this.#folder}/objects/${sha256.slice(0, 2)}/${sha256}`;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return [];
    throw error;
  }
}

export async function bytesOfFile(path: string): Promise<AsyncGenerator<Uint8Array>> {
  return bytesIn(await open(path, O_RDONLY | O_NOFOLLOW));
}

/** The bytes are valid until the next ones are asked for. Closes the file at the end, also when the reader stops early. */
async function* bytesIn(file: FileHandle): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(readBytes);
  try {
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, readBytes, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
