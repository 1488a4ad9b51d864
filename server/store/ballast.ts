import { existsSync, rmSync, statfsSync } from "node:fs";
import { open, rename } from "node:fs/promises";

const maxBytes = 64 * 1024 * 1024;
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
  wasThere = false;
  #making: Promise<boolean> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = `${folder}/ballast`;
    const disk = statfsSync(folder);
    this.bytes = Math.min(maxBytes, Math.floor((disk.blocks * disk.bsize) / 100));
  }

  /** True when the file exists, or could be made now because there is room. */
  make(): Promise<boolean> {
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #make(): Promise<boolean> {
    if (existsSync(this.#path) && !this.givenUp) {
      this.wasThere = true;
      return true;
    }
    if (!this.#roomy()) return false;
    const part = `${this.#path}.part`;
    try {
      const file = await open(part, "w", 0o600);
      try {
        for (let left = this.bytes; left > 0; left -= chunk.length) {
          await file.write(chunk, 0, Math.min(left, chunk.length));
        }
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(part, this.#path);
    } catch {
      rmSync(part, { force: true });
      return false;
    }
    this.givenUp = false;
    this.wasThere = true;
    return true;
  }

  /** Returns false when there was no file to give up. */
  giveUp(): boolean {
    const there = existsSync(this.#path);
    this.givenUp = true;
    rmSync(this.#path, { force: true });
    rmSync(`${this.#path}.part`, { force: true });
    return there;
  }

  /** The free space must be twice the size of the file, so that making the file does not fill the disk again. */
  #roomy(): boolean {
    const { bavail, bsize } = statfsSync(this.#folder);
    return bavail * bsize >= 2 * this.bytes;
  }
}
