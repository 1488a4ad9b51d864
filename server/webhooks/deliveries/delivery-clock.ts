/** Smaller differences come from regular adjustments of the clock and do not matter. */
const leastMilliseconds = 1_000;

/** Notices when the system clock was set, by comparing it with the monotonic clock. */
export class DeliveryClock {
  readonly #now: () => number;
  readonly #monotonic: () => number;
  #at: number;
  #passed: number;
  #set = 0;

  /** `now` in epoch milliseconds; `monotonic` in milliseconds since any moment. */
  constructor({ now, monotonic }: { now: () => number; monotonic: () => number }) {
    this.#now = now;
    this.#monotonic = monotonic;
    [this.#at, this.#passed] = [now(), monotonic()];
  }

  /** Milliseconds by which the clock was set since the last call; 0 when it was not set. */
  jump(): number {
    const [at, passed] = [this.#now(), this.#monotonic()];
    const by = Math.round(at - this.#at - (passed - this.#passed));
    [this.#at, this.#passed] = [at, passed];
    if (Math.abs(by) < leastMilliseconds) return 0;
    this.#set += by;
    return by;
  }

  /** The sum of all jumps, in milliseconds. */
  get set(): number {
    return this.#set;
  }
}
