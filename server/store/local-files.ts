import { closeSync, constants, fsync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { mkdir, opendir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { isUuid } from "../../openapi/check.ts";
import { dayOfId } from "./day-of-id.ts";
import { type DraftFile, Drafts } from "./drafts.ts";
import { FileHealth } from "./file-health.ts";
import { type Files, fileOfBlob, type KeptFile, pageOfIds } from "./files.ts";

/**
 * Files in two folders of the data directory: `uploads` for files that are still coming in, `attachments/<day>` for
 * kept files, by the day in the id. A file is synced and moved, and its folder synced, before its id is returned as
 * kept. A file whose bytes are in memory is written to its place at once: like any file that no row names, what a crash
 * leaves of it is swept.
 */
export class LocalFiles implements Files {
  readonly shared = false;
  readonly #folder: string;
  readonly #attachments: string;
  readonly #health = new FileHealth();
  readonly #drafts: Drafts;
  readonly #folders = new FolderSync();
  /** The last folder that was made or found, so that it is not made again for each file. */
  #lastFolder = "";

  constructor(dataFolder: string) {
    this.#folder = dataFolder;
    const uploads = `${dataFolder}/uploads`;
    this.#attachments = `${dataFolder}/attachments`;
    this.#drafts = new Drafts(uploads, this.#health);
    for (const folder of [uploads, this.#attachments]) {
      const made = mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (made !== undefined) syncNow(dataFolder);
    }
  }

  trouble(): string | undefined {
    return this.#health.trouble;
  }

  async probe(): Promise<void> {
    const id = Bun.randomUUIDv7();
    const draft = await this.draft().catch(() => undefined);
    if (draft) await this.keep(draft, id).catch(() => draft.discard());
    await this.remove([id]);
  }

  draft(): Promise<DraftFile> {
    return this.#drafts.open();
  }

  async keep(draft: DraftFile, id: string): Promise<void> {
    const path = attachmentPath(this.#folder, id);
    const folder = dirname(path);
    await this.#health.watch(async () => {
      await draft.seal();
      await this.#intoFolder(folder, () => draft.moveTo(path));
    });
  }

  async keepBytes(bytes: Uint8Array, id: string): Promise<void> {
    const path = attachmentPath(this.#folder, id);
    try {
      await this.#health.watch(() => this.#intoFolder(dirname(path), () => writeSynced(path, bytes)));
    } catch (error) {
      if ((error as { code?: string }).code !== "EEXIST") await rm(path, { force: true }).catch(() => {});
      throw error;
    }
  }

  /** Makes the folder, runs `put`, which puts a file into the folder, and syncs the folder. */
  async #intoFolder(folder: string, put: () => Promise<void>): Promise<void> {
    // Without a pause before it: what follows the call runs while a thread writes.
    if (folder !== this.#lastFolder) await this.#makeFolder(folder);
    try {
      await put();
    } catch (error) {
      if ((error as { code?: string }).code !== "ENOENT") throw error;
      // The folder was removed meanwhile.
      this.#lastFolder = "";
      await this.#makeFolder(folder);
      await put();
    }
    await this.#folders.sync(folder);
  }

  async #makeFolder(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await this.#folders.sync(dirname(folder));
    await this.#folders.sync(this.#folder);
    this.#lastFolder = folder;
  }

  async find(id: string): Promise<KeptFile | undefined> {
    const file = Bun.file(attachmentPath(this.#folder, id));
    return (await file.exists()) ? fileOfBlob(file) : undefined;
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) await rm(attachmentPath(this.#folder, id), { force: true });
  }

  removeDrafts(whose: "earlier" | "all"): Promise<void> {
    return this.#drafts.remove(whose);
  }

  async *keptBefore(moment: number): AsyncGenerator<string[]> {
    for (const day of await readdir(this.#attachments)) {
      // Folders whose name is not a day were not made by this program, and stay.
      if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) continue;
      let ids: string[] = [];
      for await (const { name } of await opendir(`${this.#attachments}/${day}`)) {
        if (!isUuid(name)) continue;
        ids.push(name);
        if (ids.length < pageOfIds) continue;
        yield await this.#olderThan(moment, day, ids);
        ids = [];
      }
      if (ids.length > 0) yield await this.#olderThan(moment, day, ids);
    }
  }

  async #olderThan(moment: number, day: string, ids: readonly string[]): Promise<string[]> {
    const old: string[] = [];
    for (const id of ids) {
      const found = await stat(`${this.#attachments}/${day}/${id}`).catch(() => undefined);
      if (found && found.ctimeMs < moment) old.push(id);
    }
    return old;
  }
}

/** The path of an attachment's file. */
export function attachmentPath(dataFolder: string, id: string): string {
  return `${dataFolder}/attachments/${dayOfId(id)}/${id}`;
}

const { O_CREAT, O_EXCL, O_WRONLY, O_SYNC } = constants;

/**
 * Writes a new file that is on the disk once this resolves. With `O_SYNC` that is one task for a thread; a write, a sync
 * and a close would be three, each of which wakes a thread and then the event loop. Of an empty file, only the name has
 * to be synced, in its folder.
 */
async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(path, bytes, { flag: O_CREAT | O_EXCL | O_WRONLY | O_SYNC, mode: 0o600 });
}

/** Syncs a folder; one sync serves every call that was made before it began. */
class FolderSync {
  readonly #running = new Map<string, Promise<void>>();
  readonly #waiting = new Map<string, Promise<void>>();

  sync(folder: string): Promise<void> {
    const waiting = this.#waiting.get(folder);
    if (waiting) return waiting;
    const next = this.#after(this.#running.get(folder), folder);
    this.#waiting.set(folder, next);
    return next;
  }

  async #after(before: Promise<void> | undefined, folder: string): Promise<void> {
    await before?.catch(() => {});
    // A call from here on waits for the next sync: this one may miss a file that is moved now.
    this.#waiting.delete(folder);
    const running = syncFolder(folder);
    this.#running.set(folder, running);
    try {
      await running;
    } finally {
      if (this.#running.get(folder) === running) this.#running.delete(folder);
    }
  }
}

/** Synchronous, for the start, when no request waits. */
function syncNow(folder: string) {
  const descriptor = openSync(folder, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

async function syncFolder(folder: string): Promise<void> {
  const descriptor = openSync(folder, "r");
  try {
    await promisify(fsync)(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
