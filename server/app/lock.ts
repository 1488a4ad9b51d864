import { rmSync, writeFileSync } from "node:fs";
import { version } from "../../package.json";
import { lockFile } from "../core/lock-file.ts";
import { readRegularFile } from "../core/read-regular-file.ts";
import { endGoingBack } from "./back-mark.ts";

/**
 * The process that holds the data directory, as other commands read it. `url` and `metricsUrl` are set once the server
 * answers; `publicUrl`, `ingestUrl` and `backupTo` are set when a flag fixed them.
 */
export interface Holder {
  pid: number;
  command: string;
  /** Of the program; undefined when an older one holds the directory. */
  version?: string;
  url?: string | undefined;
  metricsUrl?: string | undefined;
  publicUrl?: string | undefined;
  ingestUrl?: string | undefined;
  backupTo?: string | undefined;
}

/** Bytes of `lock.json`. */
const holderMax = 65_536;

export class DataDirectoryLocked extends Error {
  override name = "DataDirectoryLocked";
}

/**
 * The exclusive lock of a data directory: an SQLite lock on a file of its own, which the kernel releases however the
 * process ends. `lock.json` beside it names the holder, for people and for other commands. Who takes the lock ends what a
 * killed `intake migrate back` has left.
 */
export class DataLock {
  readonly #lock: ReturnType<typeof lockFile>;
  readonly #holderPath: string;
  readonly #holder: Holder;

  constructor(folder: string, command: string) {
    this.#holderPath = `${folder}/lock.json`;
    this.#holder = { pid: process.pid, command, version };
    try {
      this.#lock = lockFile(`${folder}/lock.db`, () => {
        const holder = readHolder(folder);
        const who = holder ? `process ${holder.pid} (intake ${holder.command})` : "another process";
        return new DataDirectoryLocked(`the data directory ${folder} is in use by ${who}; stop it first`);
      });
    } catch (error) {
      if ((error as { code?: string }).code !== "SQLITE_NOTADB") throw error;
      throw new DataDirectoryLocked(`${folder}/lock.db is damaged; it holds nothing, delete it and start again`);
    }
    try {
      endGoingBack(folder);
    } catch (error) {
      this.#lock.release();
      throw error;
    }
    this.#write();
  }

  /** Writes the server's address to `lock.json`. */
  serving(urls: Pick<Holder, "url" | "metricsUrl" | "publicUrl" | "ingestUrl" | "backupTo">) {
    Object.assign(this.#holder, urls);
    this.#write();
  }

  release() {
    rmSync(this.#holderPath, { force: true });
    this.#lock.release();
  }

  #write() {
    writeFileSync(this.#holderPath, JSON.stringify(this.#holder), { mode: 0o600 });
  }
}

/**
 * The process that holds the data directory; undefined when there is none, also when it was killed and left `lock.json`
 * behind.
 */
export function readHolder(folder: string): Holder | undefined {
  try {
    const holder = JSON.parse(readRegularFile(`${folder}/lock.json`, holderMax)) as Holder;
    return isAlive(holder.pid) ? holder : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process lives, but belongs to another user.
    return (error as { code?: string }).code === "EPERM";
  }
}
