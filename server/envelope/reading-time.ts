import { limits } from "../../openapi/schema/limits.ts";

/** Slices of a window. The time noted in a slice counts until the whole slice is older than the window. */
const slices = 6;
const sliceMilliseconds = (limits.windowSeconds * 1_000) / slices;
const ownersMax = 10_000;

interface Spent {
  slice: number;
  /** Processor time of each slice up to `slice`, at the slice's number modulo `slices`. */
  milliseconds: number[];
}

/**
 * The processor time that reading large envelopes has taken over the last 60 s, by the key that they came with. A few
 * kilobytes of gzip may hold a million members; how long they take to read shows only once they are read.
 */
export class ReadingTime {
  readonly #owners = new Map<string, Spent>();
  readonly #now: () => number;

  /** `now` in milliseconds, by a clock that does not jump. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  add(owner: string, milliseconds: number) {
    const spent = this.#current(owner) ?? { slice: this.#slice(), milliseconds: new Array<number>(slices).fill(0) };
    spent.milliseconds[spent.slice % slices] = (spent.milliseconds[spent.slice % slices] ?? 0) + milliseconds;
    // When there are too many owners, the one that was noted longest ago is dropped.
    this.#owners.delete(owner);
    this.#owners.set(owner, spent);
    const [oldest] = this.#owners.keys();
    if (this.#owners.size > ownersMax && oldest !== undefined) this.#owners.delete(oldest);
  }

  /** Whole seconds until the owner has spent less than `max` milliseconds within the window; 0 when that is so now. */
  wait(owner: string, max: number): number {
    const spent = this.#current(owner);
    if (!spent) return 0;
    let sum = spent.milliseconds.reduce((all, one) => all + one, 0);
    let leaving = spent.slice;
    // The slices leave the window one by one, the oldest first.
    while (sum >= max) sum -= spent.milliseconds[++leaving % slices] ?? 0;
    if (leaving === spent.slice) return 0;
    return Math.max(1, Math.ceil((leaving * sliceMilliseconds - this.#now()) / 1_000));
  }

  #current(owner: string): Spent | undefined {
    const spent = this.#owners.get(owner);
    if (!spent) return undefined;
    const slice = this.#slice();
    for (let next = Math.max(spent.slice, slice - slices); next < slice; ) spent.milliseconds[++next % slices] = 0;
    spent.slice = slice;
    return spent;
  }

  #slice(): number {
    return Math.floor(this.#now() / sliceMilliseconds);
  }
}
