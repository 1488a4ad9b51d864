import type { Database, Statement } from "bun:sqlite";

const pageBytes = 4_096;
/** The worker copies this much at a time (2 MiB): small passes keep the disk free for commits. */
const startPages = 500;
/** From here (40 MiB) the writer pauses for one group, as soon as a pass left little to copy, so the log starts over. */
const restartPages = 10_000;
const littlePages = 500;
/** Here (56 MiB) it pauses in any case. */
const hardPages = 14_000;

/** What `pragma wal_checkpoint` answers: pages in the log, pages of it already in the database. */
export interface Progress {
  busy: number;
  log: number;
  checkpointed: number;
}

/**
 * Copies the write-ahead log into the database on a thread of its own: done inline it would stop every request for
 * some 10 ms. A busy writer is never caught up with from outside, so it pauses for one group when the log is long.
 * While another process reads an old snapshot the log cannot start over; then it grows, and the pauses keep a distance.
 */
export class Checkpointer {
  readonly #look: Statement<Progress, []>;
  readonly #path: string;
  readonly #events: { onResume: () => void; onFatal: (error: unknown) => void };
  #worker: Worker | undefined;
  #copying = false;
  #idle: (() => void) | undefined;
  #pauseAbove = 0;
  #closed = false;
  paused = false;

  constructor(db: Database, path: string, events: { onResume: () => void; onFatal: (error: unknown) => void }) {
    this.#look = db.prepare("pragma wal_checkpoint(noop)");
    this.#path = path;
    this.#events = events;
  }

  logBytes(): number {
    return this.#progress().log * pageBytes;
  }

  /** To be called after every commit. */
  committed() {
    const { log, checkpointed } = this.#progress();
    if (log < this.#pauseAbove) this.#pauseAbove = 0;
    if (log >= Math.max(hardPages, this.#pauseAbove)) this.paused = true;
    if (log - checkpointed >= startPages || this.paused) this.#copy();
  }

  /** Waits for the pass under way and ends the worker. */
  async close(): Promise<void> {
    this.#closed = true;
    this.paused = false;
    if (this.#copying) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    this.#worker?.terminate();
  }

  #progress(): Progress {
    return this.#look.all()[0] ?? { busy: 0, log: 0, checkpointed: 0 };
  }

  #copy() {
    if (this.#copying || this.#closed) return;
    this.#copying = true;
    this.#worker ??= this.#start();
    this.#worker.postMessage("copy");
  }

  #start(): Worker {
    const worker = new Worker(workerUrl().href);
    worker.postMessage({ path: this.#path });
    worker.onmessage = ({ data }: MessageEvent<Progress | { error: string; fatal: boolean }>) => {
      this.#copying = false;
      this.#idle?.();
      if ("error" in data) return this.#failed(data);
      this.#copied(data);
    };
    worker.onerror = (event) => this.#events.onFatal(new Error(`the checkpoint worker failed: ${event.message}`));
    // It must not keep the process alive.
    worker.unref();
    return worker;
  }

  #copied({ log, checkpointed }: Progress) {
    if (this.paused && checkpointed >= log) {
      // The next commit starts the log over, unless a reader holds on to it.
      this.#pauseAbove = log + startPages;
      return this.#resume();
    }
    const now = this.#progress();
    const left = now.log - now.checkpointed;
    if (now.log >= Math.max(restartPages, this.#pauseAbove) && left <= littlePages) this.paused = true;
    if (this.paused || left >= startPages) this.#copy();
  }

  #failed({ error, fatal }: { error: string; fatal: boolean }) {
    if (fatal) this.#events.onFatal(new Error(error));
    // A full disk: the writer meets it too and says so. Holding it back would only hide the reason.
    this.#pauseAbove = this.#progress().log + startPages;
    this.#resume();
  }

  #resume() {
    this.paused = false;
    this.#events.onResume();
  }
}

/** Bundled into the binary, this module stands at its root and the worker where it stood in the sources. */
function workerUrl(): URL {
  const bundled = !import.meta.url.endsWith("/checkpoint.ts");
  return new URL(bundled ? "./server/store/checkpoint-worker.js" : "./checkpoint-worker.ts", import.meta.url);
}
