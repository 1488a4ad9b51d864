import { StoreUnavailable } from "../core/store.ts";

/**
 * After so long without another write, what is derived may use the thread. While reports come without a pause, threads
 * that unpack them may leave some 6 ms between two groups of writes.
 */
const idleMilliseconds = 10;
const lookMilliseconds = 4;
/** A job whose time is over waits so long to be taken. */
const refusedMilliseconds = 2_000;

interface DerivedJob {
  /** Runs the write in a transaction of its own, or begins to. False when it cannot be taken now and has to wait. */
  run(): boolean;
  reject(error: unknown): void;
  /** When the job runs at the latest, by `performance.now()`. */
  by: number;
}

/**
 * The queue of writes that give way to all others: one runs once no other write has come for 10 ms, or when its time is
 * over. Each takes some 2 ms at most, and so long waits a write that comes meanwhile.
 */
export class DerivedWrites {
  /** Whether other writes wait, or the disk is needed for something else. */
  readonly #busy: () => boolean;
  /** Why a job could not be taken, as a sentence for an operator. */
  readonly #hindrance: string;
  readonly #jobs: DerivedJob[] = [];
  #wroteAt = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;

  constructor(busy: () => boolean, hindrance: string) {
    this.#busy = busy;
    this.#hindrance = hindrance;
  }

  /** To be called when another write comes, and when one is committed: its sync may have taken long. */
  wrote() {
    this.#wroteAt = performance.now();
  }

  /** The job that has to run first goes first. */
  add(job: DerivedJob) {
    const before = this.#jobs.findLastIndex(({ by }) => by <= job.by);
    this.#jobs.splice(before + 1, 0, job);
    this.#lookSoon(this.#idle() ? 0 : lookMilliseconds);
  }

  /** Empties the queue, for a store that closes or refuses. */
  takeAll(): DerivedJob[] {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#jobs.splice(0);
  }

  #idle(): boolean {
    return performance.now() - this.#wroteAt >= idleMilliseconds;
  }

  #lookSoon(milliseconds: number) {
    this.#timer ??= setTimeout(() => this.#look(), milliseconds);
  }

  #look() {
    this.#timer = undefined;
    const [job] = this.#jobs;
    if (!job) return;
    const now = performance.now();
    const ran = ((!this.#busy() && this.#idle()) || now >= job.by) && job.run();
    if (ran) this.#jobs.shift();
    else if (now >= job.by + refusedMilliseconds) {
      this.#jobs.shift()?.reject(new StoreUnavailable(this.#hindrance));
    }
    if (this.#jobs.length > 0) this.#lookSoon(ran && this.#idle() ? 0 : lookMilliseconds);
  }
}
