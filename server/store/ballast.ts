import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, writeSync } from "node:fs";
import { open, rename } from "node:fs/promises";

const most = 64 * 1024 * 1024;
const chunk = Buffer.alloc(1024 * 1024);

/**
 * A file that holds some space back: min(64 MiB, 1 % of the disk). On a full disk SQLite can neither delete nor
 * checkpoint; giving the file up makes both possible again.
 */
export class Ballast {
  readonly #path: string;
  readonly #folder: string;
  readonly bytes: number;
  givenUp = false;

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = `${folder}/ballast`;
    const disk = statfsSync(folder);
    this.bytes = Math.min(most, Math.floor((disk.blocks * disk.bsize) / 100));
  }

  /** Makes it in the background when it is missing; a disk without room for it is left as it is. */
  async make(): Promise<void> {
    if (existsSync(this.#path) || !this.#roomy()) return;
    const part = `${this.#path}.part`;
    const file = await open(part, "w", 0o600);
    try {
      for (let left = this.bytes; left > 0; left -= chunk.length) {
        await file.write(chunk, 0, Math.min(left, chunk.length));
      }
      await file.sync();
      await rename(part, this.#path);
    } catch {
      rmSync(part, { force: true });
    } finally {
      await file.close();
    }
  }

  /** False when there was nothing to give. */
  giveUp(): boolean {
    const there = existsSync(this.#path);
    this.givenUp = true;
    rmSync(this.#path, { force: true });
    rmSync(`${this.#path}.part`, { force: true });
    return there;
  }

  /** True once there is room again and the file is back. */
  makeAgain(): boolean {
    if (!this.#roomy()) return false;
    const part = `${this.#path}.part`;
    try {
      const file = openSync(part, "w", 0o600);
      try {
        for (let left = this.bytes; left > 0; left -= chunk.length) {
          writeSync(file, chunk, 0, Math.min(left, chunk.length));
        }
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(part, this.#path);
    } catch {
      rmSync(part, { force: true });
      return false;
    }
    this.givenUp = false;
    return true;
  }

  /** Twice its size, so that making it does not fill the disk again. */
  #roomy(): boolean {
    const { bavail, bsize } = statfsSync(this.#folder);
    return bavail * bsize >= 2 * this.bytes;
  }
}
