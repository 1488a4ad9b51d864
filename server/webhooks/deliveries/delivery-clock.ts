/** Less than this is how clocks are kept right, and moves nothing that matters. */
const leastMilliseconds = 1_000;

/** Tells when the clock was set, by comparing it with one that nobody sets. */
export class DeliveryClock {
  readonly #now: () => number;
  readonly #monotonic: () => number;
  #at: number;
  #passed: number;
  #set = 0;

  /** `now` in epoch milliseconds; `monotonic` in milliseconds since whenever. */
  constructor({ now, monotonic }: { now: () => number; monotonic: () => number }) {
    this.#now = now;
    this.#monotonic = monotonic;
    [this.#at, this.#passed] = [now(), monotonic()];
  }

  /** By how many milliseconds the clock was set since this was asked last; 0 when it was not. */
  jump(): number {
    const [at, passed] = [this.#now(), this.#monotonic()];
    const by = Math.round(at - this.#at - (passed - this.#passed));
    [this.#at, this.#passed] = [at, passed];
    if (Math.abs(by) < leastMilliseconds) return 0;
    this.#set += by;
    return by;
  }

  /** All jumps together, in milliseconds. */
  get set(): number {
    return this.#set;
  }
}
