import { type FileHandle, open, readdir, rename, rm } from "node:fs/promises";
import type { FileHealth } from "./file-health.ts";
import type { Draft } from "./files.ts";

/** Files on the local disk for uploads that are still coming in, in a folder of this process alone. */
export class Drafts {
  readonly #folder: string;
  readonly #health: FileHealth;
  /** Part of the names of drafts, so that drafts of an earlier process are recognised. */
  readonly #mark = crypto.randomUUID();
  #count = 0;

  constructor(folder: string, health: FileHealth) {
    this.#folder = folder;
    this.#health = health;
  }

  open(): Promise<DraftFile> {
    const path = `${this.#folder}/${this.#mark}-${++this.#count}`;
    return this.#health.watch(async () => new DraftFile(path, await open(path, "wx+", 0o600), this.#health));
  }

  async remove(whose: "earlier" | "all"): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      if (whose === "all" || !name.startsWith(this.#mark)) await rm(`${this.#folder}/${name}`, { force: true });
    }
  }
}

/** Bytes of a draft that are in memory at a time while it is read. */
const chunkBytes = 262_144;

export class DraftFile implements Draft {
  readonly path: string;
  size = 0;
  readonly #health: FileHealth;
  #file: FileHandle | undefined;
  #moved = false;

  constructor(path: string, file: FileHandle, health: FileHealth) {
    this.path = path;
    this.#file = file;
    this.#health = health;
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#health.watch(async () => {
      for (let written = 0; written < bytes.length; ) {
        written += (await this.#open().write(bytes, written, bytes.length - written)).bytesWritten;
      }
      this.size += bytes.length;
    });
  }

  bytes(): Promise<Uint8Array> {
    return Bun.file(this.path).bytes();
  }

  /** The bytes that were written, read only as they are used. May be called again. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const file = this.#open();
    let at = 0;
    return new ReadableStream(
      {
        pull: (controller) =>
          this.#health.watch(async () => {
            const { bytesRead, buffer } = await file.read(new Uint8Array(chunkBytes), 0, chunkBytes, at);
            at += bytesRead;
            if (bytesRead === 0) controller.close();
            else controller.enqueue(buffer.subarray(0, bytesRead));
          }),
      },
      { highWaterMark: 0 },
    );
  }

  /** Everything is on the disk, and nothing more can be written. */
  async seal(): Promise<void> {
    await this.#open().sync();
    await this.#close();
  }

  async moveTo(path: string): Promise<void> {
    await rename(this.path, path);
    this.#moved = true;
  }

  async discard(): Promise<void> {
    if (this.#moved) return;
    await this.#close().catch(() => {});
    await rm(this.path, { force: true }).catch(() => {});
  }

  #open(): FileHandle {
    if (!this.#file) throw new Error("the draft is closed");
    return this.#file;
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}
