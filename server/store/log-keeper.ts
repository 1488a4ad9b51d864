import type { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { freeSpace } from "./free-space.ts";
import type { KeepLog, LogEvent } from "./log-events.ts";
import { LogSpool } from "./log-spool.ts";
import { discardSpool, spoolBytes } from "./spool-folder.ts";
import { LogBroken } from "./wal-file.ts";

const lookMilliseconds = 1_000;
/** Complete segments may wait while the disk is low: a target that answers has them within seconds. */
const lowBytesMax = 64 * 1024 * 1024;
/** A chain that ended because of its failure begins again after this time. */
const againMilliseconds = 60_000;

/**
 * Keeps the spool of the log within the thread of the checkpoints. Nothing that happens to the spool is the trouble of
 * those who write: without room for it, its chain ends, and another one begins once there is room.
 */
export class LogKeeper {
  readonly #path: string;
  readonly #options: KeepLog & { look: Database };
  readonly #tell: (event: LogEvent) => void;
  #spool: LogSpool | undefined;
  #timer: Timer | undefined;
  #endedAt: number | undefined;
  #reason: string | undefined;

  constructor(path: string, options: KeepLog & { look: Database }, tell: (event: LogEvent) => void) {
    this.#path = path;
    this.#options = options;
    this.#tell = tell;
  }

  start() {
    this.#open();
    this.#timer = setInterval(() => this.#turn(), Math.min(lookMilliseconds, this.#options.every));
  }

  /** To be called before a pass. Returns the frames that it may surely write back; undefined when no log is kept. */
  capture(): number | undefined {
    return this.#guarded((spool) => {
      const log = spool.capture();
      if (spool.due(this.#options.every)) this.#cut(spool);
      return log;
    });
  }

  /** The disk is full: nothing of the spool may stay. */
  giveUp() {
    if (this.#spool) return this.#failed(Object.assign(new LogBroken("the disk is full"), { code: "ENOSPC" }));
    discardIf(this.#options.folder);
  }

  /** Ends for good: backups do not go on from here. */
  end() {
    clearInterval(this.#timer);
    try {
      this.#spool?.close();
    } catch {}
    this.#spool = undefined;
    discardIf(this.#options.folder);
  }

  /** The server stops, and the next one goes on. */
  stop(pass: () => { log: number; checkpointed: number } | undefined) {
    clearInterval(this.#timer);
    const spool = this.#spool;
    this.#spool = undefined;
    try {
      const cut = spool?.stop(pass);
      if (cut) this.#tell({ keptLog: "cut", ...cut });
    } catch {
      // Without its mark, the next server finds out by itself whether the chain goes on.
    }
  }

  #turn() {
    try {
      this.#look();
    } catch {
      // The folder cannot even be looked at: nothing can be kept there for now.
    }
  }

  #look() {
    if (this.#spool) {
      this.#guarded((spool) => {
        if (!spool.due(this.#options.every)) return;
        this.#cut(spool);
      });
      return;
    }
    if (this.#endedAt !== undefined && performance.now() - this.#endedAt < againMilliseconds) return;
    if (spoolBytes(this.#options.folder) > this.#options.bytesMax / 2) return;
    if (!freeSpace(this.#options.folder).low) this.#open();
  }

  #cut(spool: LogSpool) {
    const at = Date.now();
    if (!spool.behind) return this.#tell({ keptLog: "even", at });
    const cut = spool.cut();
    if (!cut) return;
    this.#tell({ keptLog: "cut", ...cut });
    spool.begin();
    const { folder, bytesMax } = this.#options;
    if (freeSpace(folder).low) throw new LogBroken("the disk has too little room");
    if (spoolBytes(folder) > bytesMax) {
      throw new LogBroken(`more than ${bytesMax} bytes wait to be shipped`);
    }
  }

  #open() {
    try {
      const spool = LogSpool.open(this.#path, this.#options.folder, this.#options.look);
      this.#spool = spool;
      const { chain, number, continued, gap } = spool;
      // Where the chain goes on after a failure, nothing is missing.
      const why = continued ? null : (gap ?? this.#reason ?? null);
      this.#tell({ keptLog: "begun", chain, number, continued, gap: why });
      this.#reason = undefined;
    } catch (error) {
      this.#failed(error);
    }
  }

  #guarded<T>(work: (spool: LogSpool) => T): T | undefined {
    if (!this.#spool) return undefined;
    try {
      return work(this.#spool);
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  /** Whether segments that wait take the room of tickets and reports. */
  #inTheWay(): boolean {
    const { folder } = this.#options;
    try {
      return freeSpace(folder).low && spoolBytes(folder) > lowBytesMax;
    } catch {
      return true;
    }
  }

  #failed(error: unknown) {
    const { code } = error as { code?: string };
    const reason = error instanceof LogBroken ? error.message : `${code ?? ""} ${(error as Error).message}`.trim();
    const spool = this.#spool;
    this.#spool = undefined;
    this.#endedAt = performance.now();
    // Segments that wait stay as long as there is room.
    const all = ["ENOSPC", "EDQUOT", "SQLITE_FULL"].includes(String(code)) || this.#inTheWay();
    try {
      spool?.close();
    } catch {}
    if (all) discardIf(this.#options.folder);
    else if (spool) rmIf(spool.file);
    if (this.#reason !== reason) this.#tell({ keptLog: "ended", reason });
    this.#reason = reason;
  }
}

/** What cannot be removed, as on a disk that can only be read, is looked at when the log begins again. */
function discardIf(folder: string) {
  try {
    discardSpool(folder);
  } catch {}
}

function rmIf(path: string) {
  try {
    rmSync(path, { force: true });
  } catch {}
}
