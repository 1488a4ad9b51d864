import { limits } from "../../openapi/schema/limits.ts";
import { canonicalDigest } from "./canonical.ts";
import { type Inspection, inspect, isGzip } from "./inspect.ts";

export interface Question {
  bytes: Uint8Array;
  wanted: "inspection" | "canonical";
}
export type Answer = Inspection | Uint8Array;

interface Job {
  load: () => Promise<Uint8Array>;
  wanted: Question["wanted"];
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}

/** What is unpacked and parsed on the spot: some 2 ms at worst. */
const inlineBytes = 4 * limits.uploadBytes;
const idleMilliseconds = 30_000;

/**
 * Reads envelopes: small ones at once, large ones on a thread of its own, so that no request waits for another's 5 MiB.
 * One at a time, and each is loaded when its turn has come: however many bombs arrive, memory holds one.
 */
export class EnvelopeThread {
  readonly #jobs: Job[] = [];
  #worker: Worker | undefined;
  #running: Job | undefined;
  #idle: Timer | undefined;

  async inspect(content: Uint8Array | { bytes(): Promise<Uint8Array> }): Promise<Inspection> {
    if (!(content instanceof Uint8Array)) return (await this.#ask(() => content.bytes(), "inspection")) as Inspection;
    const found = inspect(content, inlineBytes);
    if (found.kind !== "too_large") return found;
    return (await this.#ask(() => Promise.resolve(content), "inspection")) as Inspection;
  }

  async canonical(stored: Uint8Array): Promise<Uint8Array> {
    const small = isGzip(stored) ? inspect(stored, inlineBytes).kind !== "too_large" : stored.length <= inlineBytes;
    if (small) return canonicalDigest(stored);
    return (await this.#ask(() => Promise.resolve(stored), "canonical")) as Uint8Array;
  }

  close() {
    clearTimeout(this.#idle);
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #ask(load: Job["load"], wanted: Job["wanted"]): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ load, wanted, resolve, reject });
      if (!this.#running) void this.#next();
    });
  }

  async #next(): Promise<void> {
    const job = this.#jobs.shift();
    this.#running = job;
    clearTimeout(this.#idle);
    if (!job) {
      this.#idle = setTimeout(() => this.close(), idleMilliseconds);
      this.#idle.unref();
      return;
    }
    try {
      const bytes = await job.load();
      this.#worker ??= this.#start();
      this.#worker.postMessage({ bytes, wanted: job.wanted } satisfies Question);
    } catch (error) {
      this.#settle((running) => running.reject(error as Error));
    }
  }

  #start(): Worker {
    const worker = new Worker(workerUrl().href);
    worker.onmessage = ({ data }: MessageEvent<{ answer: Answer } | { failed: string }>) => {
      this.#settle((job) => ("answer" in data ? job.resolve(data.answer) : job.reject(new Error(data.failed))));
    };
    worker.onerror = ({ message }) => {
      this.close();
      this.#settle((job) => job.reject(new Error(`the envelope thread ended: ${message}`)));
    };
    // It must not keep a command alive. A server lives by its listener.
    worker.unref();
    return worker;
  }

  #settle(settle: (job: Job) => void) {
    const job = this.#running;
    this.#running = undefined;
    if (job) settle(job);
    void this.#next();
  }
}

/** The bundler puts a thread's entry point beside the main one, under its path from the project's root. */
function workerUrl(): URL {
  const bundled = !import.meta.url.endsWith("/envelope-thread.ts");
  return new URL(bundled ? "./server/ingest/envelope-worker.js" : "./envelope-worker.ts", import.meta.url);
}
