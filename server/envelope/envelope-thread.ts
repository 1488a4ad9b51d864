/** A question to the thread. The answer is text, which passes between threads at little cost. */
export type Question =
  | { wanted: "decoded"; bytes: Uint8Array; lengths: number[]; max: number }
  | { wanted: "canonical" | "words" | "contents"; bytes: Uint8Array };

/** A question with its number, so that no answer reaches another report when a thread ends and a new one starts. */
export interface Numbered {
  number: number;
  question: Question;
}
export type Answered =
  | { number: number; text: string }
  | { number: number; failed: string }
  /** Sent last: the processor time that the question took, including garbage collection. */
  | { number: number; milliseconds: number };

interface Job {
  owner: string;
  load: () => Promise<Question>;
  resolve: (answer: string) => void;
  reject: (error: Error) => void;
}

const idleMilliseconds = 30_000;

/**
 * A thread that reads envelopes. The bytes of a question are loaded when its turn has come, so that memory holds a few
 * large envelopes however many wait. The thread starts with the first question and ends after 30 s without one.
 */
export class EnvelopeThread {
  readonly #handedOverMax: number;
  readonly #smol: boolean;
  readonly #spent: ((owner: string, milliseconds: number) => void) | undefined;
  /** The owner of each question by its number, until the time that the question took is known. */
  readonly #owners = new Map<number, string>();
  /** The waiting questions of each owner; the owners take turns. */
  readonly #waiting = new Map<string, Job[]>();
  readonly #handedOver = new Map<number, Job>();
  #number = 0;
  #worker: Worker | undefined;
  #idle: Timer | undefined;

  /**
   * `handedOverMax`: questions that the thread may have at once, so that it need not wait for the next one.
   * `smol`: the thread keeps its heap small, which costs time. `spent` is called with the time that each question took.
   */
  constructor({
    handedOverMax,
    smol,
    spent,
  }: {
    handedOverMax: number;
    smol: boolean;
    spent?: (owner: string, milliseconds: number) => void;
  }) {
    this.#handedOverMax = handedOverMax;
    this.#smol = smol;
    this.#spent = spent;
  }

  /**
   * Asks the thread. `first`: before the owner's other questions, because it completes a report that is being stored.
   */
  ask(load: Job["load"], owner = "", first = false): Promise<string> {
    return new Promise((resolve, reject) => {
      const jobs = this.#waiting.get(owner) ?? [];
      const job = { owner, load, resolve, reject };
      if (first) jobs.unshift(job);
      else jobs.push(job);
      this.#waiting.set(owner, jobs);
      void this.#handOver();
    });
  }

  close() {
    clearTimeout(this.#idle);
    this.#owners.clear();
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #handOver(): Promise<void> {
    clearTimeout(this.#idle);
    const job = this.#handedOver.size < this.#handedOverMax ? this.#next() : undefined;
    if (!job) return;
    const number = ++this.#number;
    this.#handedOver.set(number, job);
    try {
      const question = await job.load();
      this.#worker ??= this.#start();
      if (this.#spent) this.#owners.set(number, job.owner);
      this.#worker.postMessage({ number, question } satisfies Numbered);
    } catch (error) {
      this.#settle(number, () => job.reject(error as Error));
    }
  }

  #settle(number: number, settle: (job: Job) => void) {
    const job = this.#handedOver.get(number);
    this.#handedOver.delete(number);
    if (job) settle(job);
    void this.#handOver();
    if (this.#handedOver.size === 0) this.#rest();
  }

  #next(): Job | undefined {
    const [turn] = this.#waiting;
    if (!turn) return undefined;
    const [owner, jobs] = turn;
    const job = jobs.shift();
    this.#waiting.delete(owner);
    if (jobs.length > 0) this.#waiting.set(owner, jobs);
    return job;
  }

  #start(): Worker {
    const worker = new Worker(workerUrl().href, { smol: this.#smol });
    worker.onmessage = ({ data }: MessageEvent<Answered>) => {
      if ("milliseconds" in data) {
        const owner = this.#owners.get(data.number);
        this.#owners.delete(data.number);
        if (owner !== undefined) this.#spent?.(owner, data.milliseconds);
        return;
      }
      this.#settle(data.number, (job) =>
        "text" in data ? job.resolve(data.text) : job.reject(new Error(data.failed)),
      );
    };
    worker.onerror = ({ message }) => {
      this.close();
      for (const number of [...this.#handedOver.keys()]) {
        this.#settle(number, (job) => job.reject(new Error(`the envelope thread ended: ${message}`)));
      }
    };
    // The thread must not keep a command of the command line alive; a server is kept alive by its listener.
    worker.unref();
    return worker;
  }

  #rest() {
    this.#idle = setTimeout(() => this.close(), idleMilliseconds);
    this.#idle.unref();
  }
}

/** The bundler puts the entry point of a thread beside the main one, under its path from the project's root. */
function workerUrl(): URL {
  const bundled = !import.meta.url.endsWith("/envelope-thread.ts");
  return new URL(bundled ? "./server/envelope/envelope-worker.js" : "./envelope-worker.ts", import.meta.url);
}
