import { Periodic } from "../core/periodic.ts";
import { SliceSize } from "../core/slice-size.ts";
import type { Store } from "../core/store.ts";
import type { IdempotencyKeys } from "./idempotency-keys.ts";

const turnMilliseconds = 500;
/** In slots, of which at most every second has a key. */
const slice = { milliseconds: 2, min: 128, max: 16_384 } as const;
/**
 * A sweep begins once a sixteenth as many keys wait as are in the index, so that many go to each page of it: at least so
 * many, to be worth it, and at most so many, to stay small in memory.
 */
const [sweepMin, sweepMax] = [8_192, 262_144];
/** With tickets all the time, a slice waits so long: less when there are many more keys than a sweep wants. */
const withinMilliseconds = { usual: 500, crowded: 20 } as const;

/**
 * Takes idempotency keys into the index, in sweeps through all that wait, in the order of the index, in slices between
 * other writes. A sweep begins when enough keys wait, and when none has come for half a second. A process that ends
 * within a sweep has lost nothing: the next one reads again what came after the last whole sweep.
 */
export class IndexKeys {
  readonly #store: Pick<Store, "writeDerived">;
  readonly #keys: IdempotencyKeys;
  readonly #turning = new Periodic({
    turn: () => this.#turn(),
    every: turnMilliseconds,
    failed: "idempotency keys could not be indexed and will be tried again",
  });
  readonly #slice = new SliceSize(slice);
  #waited = 0;

  constructor(store: Pick<Store, "writeDerived">, keys: IdempotencyKeys) {
    this.#store = store;
    this.#keys = keys;
  }

  start() {
    this.#turning.start();
  }

  stop(): Promise<void> {
    return this.#turning.stop();
  }

  /** Indexes every key that is known by now. */
  async finish(): Promise<void> {
    const slots = this.#keys.beginSweep();
    for (let from = 0; from < slots; ) {
      if (this.#turning.stopped) return;
      from = await this.#sweepFrom(from);
    }
    await this.#store.writeDerived((tx) => this.#keys.endSweepStep(tx), { within: withinMilliseconds.usual });
    this.#keys.sweepEnded();
  }

  /** Returns the slot to go on with. */
  async #sweepFrom(from: number): Promise<number> {
    const to = from + this.#slice.size;
    const crowded = this.#keys.waiting > 2 * sweepSize(this.#keys.indexed);
    const within = crowded ? withinMilliseconds.crowded : withinMilliseconds.usual;
    const { milliseconds } = await this.#store.writeDerived((tx) => this.#keys.sweepStep(tx, from, to), { within });
    this.#slice.took(milliseconds, to - from);
    return to;
  }

  async #turn(): Promise<void> {
    const { waiting } = this.#keys;
    const quiet = waiting === this.#waited;
    this.#waited = waiting;
    if (waiting > 0 && (quiet || waiting >= sweepSize(this.#keys.indexed))) await this.finish();
  }
}

function sweepSize(indexed: number): number {
  return Math.min(sweepMax, Math.max(sweepMin, indexed / 16));
}
