import type { Database, Statement } from "bun:sqlite";
import type { KeepLog, LogEvent } from "./log-events.ts";

const pageBytes = 4_096;
/** The log is kept below this (56 MiB), or below the ballast, so that a full disk still has room to copy it back. */
const hardBytes = 56 * 1024 * 1024;
/** The worker copies this much at a time (2 MiB): small passes keep the disk free for commits. */
const startPages = 500;
const lookMilliseconds = 1_000;
const closeMilliseconds = 5_000;
/** The log may exceed a bound by the pages of one more group. */
const largeWritePages = 64;

/** The answer of `pragma wal_checkpoint`: pages in the log, and how many of them are in the database already. */
export interface Progress {
  busy: number;
  log: number;
  checkpointed: number;
}

/** The answer of the worker when a pass failed. */
export interface CopyFailed {
  code: string;
}

interface CheckpointEvents {
  /** Called when the writer may go on. */
  onResume: () => void;
  /** Called when a pass failed, with the code of SQLite or the system; `again` when the pass before failed too. */
  onFailed: (code: string, again: boolean) => void;
  /** Called with what becomes of the log that is kept for backups. */
  onLog?: ((event: LogEvent) => void) | undefined;
}

/**
 * Copies the write-ahead log into the database on a thread of its own, because copying within a commit would stop every
 * request for some 10 ms. A thread never catches up with a busy writer, so the writer pauses for one group when the log
 * is long. While another process reads an old snapshot the log cannot start over: it grows until that reader ends, and
 * a pause ends after two passes at most.
 */
export class Checkpointer {
  readonly #look: Statement<Progress, []>;
  readonly #path: string;
  readonly #events: CheckpointEvents;
  /** A pass begins when the log has this many pages. */
  readonly #start: number;
  /**
   * From this length on, the writer pauses for one group as soon as a pass left little to copy, so that the log starts
   * over.
   */
  readonly #restart: number;
  /** From this length on, the writer pauses in any case. */
  readonly #hard: number;
  #worker: Worker | undefined;
  #copying = false;
  #pauseAbove = 0;
  #copyAbove = 0;
  #passesPaused = 0;
  #closed = false;
  #failedBefore = false;
  /** Checks the log from time to time, because commits of commands beside the server are not announced here. */
  readonly #looking: Timer;
  paused = false;
  #keepLog: KeepLog | undefined;

  constructor(db: Database, path: string, ballastBytes: number, events: CheckpointEvents) {
    this.#look = db.prepare("pragma wal_checkpoint(noop)");
    this.#path = path;
    this.#events = events;
    this.#hard = Math.max(8, Math.floor((Math.min(hardBytes, ballastBytes) * 0.8) / pageBytes) - largeWritePages);
    this.#restart = Math.ceil(this.#hard * 0.7);
    this.#start = Math.min(startPages, Math.ceil(this.#hard / 4));
    this.#looking = setInterval(() => this.committed(), lookMilliseconds);
    this.#looking.unref();
  }

  /**
   * Keeps the log in a spool: from now on, no frame is written back before it was copied there. Undefined removes the
   * spool.
   */
  keepLog(options: KeepLog | undefined) {
    if (this.#closed || (!options && !this.keepsLog)) return;
    this.#keepLog = options;
    // A new thread is told when it starts.
    if (this.#worker) this.#worker.postMessage({ keepLog: options });
    else this.#worker = this.#startWorker();
  }

  get keepsLog(): boolean {
    return this.#keepLog !== undefined;
  }

  /** On a full disk: removes what was spooled, and lets go of the log. */
  giveUpLog() {
    if (this.keepsLog) this.#worker?.postMessage("full");
  }

  logBytes(): number {
    return this.#progress().log * pageBytes;
  }

  /** To be called after every commit. */
  committed() {
    if (this.#closed) return;
    const { log, checkpointed } = this.#progress();
    if (log < this.#pauseAbove) this.#pauseAbove = 0;
    if (log < this.#copyAbove) this.#copyAbove = 0;
    if (log >= Math.max(this.#hard, this.#pauseAbove)) this.#pause();
    if (this.paused || (log - checkpointed >= this.#start && log >= this.#copyAbove)) this.#copy();
  }

  /** Waits for the running pass and then for the worker to close its connection, so that this one is the last. */
  async close(): Promise<void> {
    this.#closed = true;
    this.paused = false;
    clearInterval(this.#looking);
    this.#look.finalize();
    const worker = this.#worker;
    if (!worker) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, closeMilliseconds);
      const closed = () => {
        clearTimeout(late);
        resolve();
      };
      worker.onmessage = ({ data }) => {
        if (data === "closed") closed();
        else if (isLogEvent(data)) this.#events.onLog?.(data);
      };
      worker.onerror = closed;
      worker.postMessage("close");
    });
    worker.terminate();
  }

  #progress(): Progress {
    return this.#look.all()[0] ?? { busy: 0, log: 0, checkpointed: 0 };
  }

  #copy() {
    if (this.#copying) return;
    this.#copying = true;
    this.#worker ??= this.#startWorker();
    this.#worker.postMessage("copy");
  }

  #startWorker(): Worker {
    const worker = new Worker(workerUrl().href);
    worker.postMessage({ path: this.#path });
    if (this.#keepLog) worker.postMessage({ keepLog: this.#keepLog });
    worker.onmessage = ({ data }: MessageEvent<Progress | CopyFailed | LogEvent>) => {
      if (isLogEvent(data)) return this.#events.onLog?.(data);
      this.#copying = false;
      if ("code" in data) return this.#failed(data.code);
      this.#failedBefore = false;
      this.#copied(data);
    };
    worker.onerror = () => {
      worker.terminate();
      this.#worker = undefined;
      this.#copying = false;
      this.#events.onLog?.({ keptLog: "ended", reason: "the checkpoint thread ended" });
      this.#failed("the checkpoint thread ended");
    };
    // The thread must not keep the process alive.
    worker.unref();
    return worker;
  }

  #copied({ busy, log, checkpointed }: Progress) {
    const now = this.#progress();
    if (this.paused) {
      // Either everything is copied and the next commit starts the log over, or another process that reads or
      // checkpoints has held up a whole pass of the pause, and the writer must not wait for it.
      if (now.checkpointed >= now.log || ++this.#passesPaused > 1) {
        this.#pauseAbove = now.log + this.#start;
        return this.#resume();
      }
      return this.#copy();
    }
    const left = now.log - now.checkpointed;
    if (busy !== 0 || checkpointed < log) this.#copyAbove = now.log + this.#start;
    else if (now.log >= Math.max(this.#restart, this.#pauseAbove) && left <= this.#start) this.#pause();
    if (this.paused || (left >= this.#start && now.log >= this.#copyAbove)) this.#copy();
  }

  #failed(code: string) {
    this.#events.onFailed(code, this.#failedBefore);
    this.#failedBefore = true;
    this.#pauseAbove = this.#copyAbove = this.#progress().log + this.#start;
    this.#resume();
  }

  #pause() {
    if (this.paused) return;
    this.paused = true;
    this.#passesPaused = 0;
  }

  #resume() {
    this.paused = false;
    this.#events.onResume();
  }
}

function isLogEvent(data: unknown): data is LogEvent {
  return typeof data === "object" && data !== null && "keptLog" in data;
}

/**
 * The path of the worker: in the binary this module stands at the root, and the worker where it stood in the sources.
 */
function workerUrl(): URL {
  const bundled = !import.meta.url.endsWith("/schedule-checkpoints.ts");
  return new URL(bundled ? "./server/store/checkpoint-worker.js" : "./checkpoint-worker.ts", import.meta.url);
}
