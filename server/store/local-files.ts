import { mkdirSync } from "node:fs";
import { type FileHandle, mkdir, open, opendir, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Draft, Files } from "./files.ts";
import { diskFull, isFull } from "./sqlite-errors.ts";
import { StoreUnavailable } from "./store.ts";

const listed = 200;

/**
 * Files in two folders of the data directory: `uploads` for what is still coming in, `attachments/<day>` for what is
 * kept, by the day in the id. A file is synced, moved, and its folder synced, before anybody is told that it is kept.
 */
export class LocalFiles implements Files {
  readonly #uploads: string;
  readonly #attachments: string;
  readonly #folders = new FolderSync();
  /** Tells the drafts of this process from those that another has left. */
  readonly #mark = crypto.randomUUID();
  #drafts = 0;
  #lastDay = "";

  constructor(dataFolder: string) {
    this.#uploads = `${dataFolder}/uploads`;
    this.#attachments = `${dataFolder}/attachments`;
    for (const folder of [this.#uploads, this.#attachments]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  async draft(): Promise<LocalDraft> {
    const path = `${this.#uploads}/${this.#mark}-${++this.#drafts}`;
    return wellOrFull(async () => new LocalDraft(path, await open(path, "wx", 0o600)));
  }

  async keep(draft: LocalDraft, id: string): Promise<void> {
    const path = this.#pathOf(id);
    const folder = dirname(path);
    await wellOrFull(async () => {
      await draft.seal();
      if (folder !== this.#lastDay) {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await this.#folders.sync(this.#attachments);
        this.#lastDay = folder;
      }
      await rename(draft.path, path);
      await this.#folders.sync(folder);
    });
  }

  read(id: string): Blob {
    return Bun.file(this.#pathOf(id));
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) await rm(this.#pathOf(id), { force: true });
  }

  async removeDrafts(): Promise<void> {
    for (const name of await readdir(this.#uploads)) {
      if (!name.startsWith(this.#mark)) await rm(`${this.#uploads}/${name}`, { force: true });
    }
  }

  async *keptBefore(milliseconds: number): AsyncGenerator<string[]> {
    for (const day of await readdir(this.#attachments)) {
      let ids: string[] = [];
      for await (const { name } of await opendir(`${this.#attachments}/${day}`)) {
        ids.push(name);
        if (ids.length < listed) continue;
        yield await this.#olderThan(milliseconds, day, ids);
        ids = [];
      }
      if (ids.length > 0) yield await this.#olderThan(milliseconds, day, ids);
    }
  }

  async #olderThan(milliseconds: number, day: string, ids: readonly string[]): Promise<string[]> {
    const old: string[] = [];
    for (const id of ids) {
      const found = await stat(`${this.#attachments}/${day}/${id}`).catch(() => undefined);
      if (found && found.ctimeMs < milliseconds) old.push(id);
    }
    return old;
  }

  /** The first 48 bits of an id of version 7 are its time. */
  #pathOf(id: string): string {
    const milliseconds = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
    return `${this.#attachments}/${new Date(milliseconds).toISOString().slice(0, 10)}/${id}`;
  }
}

class LocalDraft implements Draft {
  readonly path: string;
  #file: FileHandle | undefined;

  constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  write(bytes: Uint8Array): Promise<void> {
    return wellOrFull(async () => {
      for (let written = 0; written < bytes.length; ) {
        const answer = await this.#file?.write(bytes, written, bytes.length - written);
        written += answer?.bytesWritten ?? bytes.length;
      }
    });
  }

  bytes(): Promise<Uint8Array> {
    return Bun.file(this.path).bytes();
  }

  /** Everything is on the disk, and nothing more can be written. */
  async seal(): Promise<void> {
    await this.#file?.sync();
    await this.#close();
  }

  async discard(): Promise<void> {
    await this.#close().catch(() => {});
    await rm(this.path, { force: true }).catch(() => {});
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}

/** One sync of a folder serves everybody who asked before it began. */
class FolderSync {
  readonly #waiting = new Map<string, Promise<void>>();
  readonly #running = new Map<string, Promise<void>>();

  sync(folder: string): Promise<void> {
    const waiting = this.#waiting.get(folder);
    if (waiting) return waiting;
    const next = this.#next(folder).finally(() => this.#running.delete(folder));
    this.#waiting.set(folder, next);
    return next;
  }

  async #next(folder: string): Promise<void> {
    await this.#running.get(folder)?.catch(() => {});
    const mine = this.#waiting.get(folder);
    this.#waiting.delete(folder);
    if (mine) this.#running.set(folder, mine);
    const handle = await open(folder, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

/** No room is no mistake of ours: nothing was stored, and the same may succeed later. */
async function wellOrFull<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = "" } = error as { code?: string };
    if (isFull(code) || code === "EDQUOT") throw new StoreUnavailable(diskFull, { cause: error });
    if (code === "EIO" || code === "EMFILE" || code === "ENFILE" || code === "EROFS") {
      throw new StoreUnavailable(`attachments cannot be written (${code})`, { cause: error });
    }
    throw error;
  }
}
