import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attachmentPath } from "../store/local-files.ts";
import type { SpooledAttachment } from "../store/spool-file.ts";
import { spoolFiles, spoolFolder } from "../store/spool-folder.ts";
import { failureOfBackup } from "./failure-of-backup.ts";
import { readSpooled, type SegmentAttachment, writeSegment } from "./segment.ts";
import type { SegmentName } from "./segment-name.ts";
import { storeFile } from "./store-file.ts";
import type { StoredObject } from "./stored-object.ts";
import type { BackupTarget, ObjectSource, TargetLock } from "./target.ts";

/** Digests that are known to be in the target: neighbours in the index are named by many segments. */
const knownMax = 20_000;

/** A data directory that takes no file. What is complete there can still be brought away. */
const noRoom = ["ENOSPC", "EDQUOT", "EROFS"];

/** Brings segments that are complete in the spool of a data directory to a backup target, in their order. */
export class SegmentShipper {
  readonly #data: string;
  readonly #target: BackupTarget;
  readonly #known = new Map<string, number>();
  /** Files of the spool that were shipped and could not be removed, as on a disk that can only be read. */
  readonly #shipped = new Set<string>();

  constructor(data: string, target: BackupTarget) {
    this.#data = data;
    this.#target = target;
  }

  /** Ships the oldest complete segment. Undefined when there is none. */
  async next(): Promise<SegmentName | undefined> {
    const folder = spoolFolder(this.#data);
    for (const file of this.#shipped) if (rmIf(`${folder}/${file}`)) this.#shipped.delete(file);
    const [oldest, following] = spoolFiles(folder).filter(({ file }) => !this.#shipped.has(file));
    if (!oldest) return undefined;
    const from = `${folder}/${oldest.file}`;
    let to = `${folder}/sending`;
    try {
      const spooled = readSpooled(from);
      if (!spooled) {
        // The last file is being written.
        if (!following) return undefined;
        // What is missing is named by a restore: the numbers of segments have a gap.
        rmSync(from, { force: true });
        throw new Error(`the spooled segment ${oldest.number} of the log is damaged and cannot be shipped`);
      }
      const ship = async (lock?: TargetLock) => {
        const attachments: SegmentAttachment[] = [];
        for (const row of spooled.attachments) attachments.push(await this.#attachment(row));
        let segment: SegmentName;
        try {
          segment = writeSegment(spooled, attachments, { from, to });
        } catch (error) {
          if (!noRoom.includes(String((error as { code?: string }).code))) throw error;
          rmIf(to);
          to = join(tmpdir(), `intake-segment-${crypto.randomUUID()}`);
          segment = writeSegment(spooled, attachments, { from, to });
        }
        // Without the lock, what was found in the target may have been removed since.
        await lock?.require();
        await this.#target.putSegment(segment, { path: to });
        return segment;
      };
      const segment = spooled.attachments.length === 0 ? await ship() : await this.#locked(ship);
      if (!rmIf(from)) this.#shipped.add(oldest.file);
      return segment;
    } catch (error) {
      throw failureOfBackup(error, this.#target.words);
    } finally {
      rmIf(to);
    }
  }

  async #locked<T>(work: (lock: TargetLock) => Promise<T>): Promise<T> {
    const lock = await this.#target.lockObjects();
    // What was seen before may have been removed.
    this.#known.clear();
    try {
      return await work(lock);
    } finally {
      await lock.release();
    }
  }

  async #attachment({ id, sha256, size }: SpooledAttachment): Promise<SegmentAttachment> {
    if (sha256 !== null && size !== null && (await this.#has({ sha256, bytes: size }))) {
      return { id, object: { sha256, bytes: size } };
    }
    const path = attachmentPath(this.#data, id);
    try {
      return { id, object: await storeFile(path, (object, source) => this.#add(object, source)) };
    } catch (error) {
      // Deleted since, or lost: the moment can be restored, without this file.
      if ((error as { code?: string }).code !== "ENOENT" || existsSync(path)) throw error;
      return { id, object: null };
    }
  }

  async #add(object: StoredObject, source: ObjectSource): Promise<void> {
    if (await this.#has(object)) return;
    await this.#target.put(object, source);
    this.#remember(object);
  }

  async #has(object: StoredObject): Promise<boolean> {
    if (this.#known.get(object.sha256) === object.bytes) return true;
    if ((await this.#target.sizeOf(object.sha256)) !== object.bytes) return false;
    this.#remember(object);
    return true;
  }

  #remember({ sha256, bytes }: StoredObject) {
    if (this.#known.size >= knownMax) this.#known.clear();
    this.#known.set(sha256, bytes);
  }
}

/** Whether the file is not there any more. */
function rmIf(path: string): boolean {
  try {
    rmSync(path, { force: true });
    return true;
  } catch {
    return false;
  }
}
