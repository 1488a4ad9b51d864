import { Periodic } from "../core/periodic.ts";
import { SliceSize } from "../core/slice-size.ts";
import type { Row, Step, Store, Tx } from "../core/store.ts";

const turnMilliseconds = 500;
const slice = { milliseconds: 2, min: 64, max: 4_096 } as const;
/**
 * A sweep begins once the list has a sixteenth as many keys as the index, so that many keys go to each page of the
 * index: at least so many, to be worth it, and at most so many, to stay small in memory.
 */
const [sweepMin, sweepMax] = [8_192, 262_144];
/** With work all the time, a slice waits so long: longer while the list is short. */
const withinMilliseconds = { calm: 1_000, crowded: 20 };

interface Extent extends Row {
  newest: number;
  indexed: number;
}

/**
 * Moves idempotency keys from the list in memory to the index, in sweeps through all keys in the order of the index, in
 * slices between other writes. A sweep begins when there are many, and when no ticket has come for half a second. A
 * process that ends in a sweep has lost nothing: the next one lists again what has come since the last whole sweep.
 */
export class IndexKeys {
  readonly #store: Store;
  readonly #turning = new Periodic({
    turn: () => this.#turn(),
    every: turnMilliseconds,
    failed: "idempotency keys could not be indexed and will be tried again",
  });
  #newest = -1;
  readonly #slice = new SliceSize(slice);

  constructor(store: Store) {
    this.#store = store;
  }

  start() {
    this.#turning.start();
  }

  stop(): Promise<void> {
    return this.#turning.stop();
  }

  /** Indexes every key that is bound by now. */
  async finish(): Promise<void> {
    const { newest, indexed } = await this.#extent();
    if (newest > indexed) await this.#sweep(newest, indexed);
  }

  async #turn(): Promise<void> {
    const { newest, indexed } = await this.#extent();
    const quiet = newest === this.#newest;
    this.#newest = newest;
    if (newest === indexed) return;
    if (quiet || newest - indexed >= sweepSize(indexed)) await this.#sweep(newest, indexed);
  }

  async #extent(): Promise<Extent> {
    const sql = `select (select coalesce(max(number), 0) from idempotency_key) as newest, number as indexed
      from idempotency_key_indexed`;
    return (await this.#store.one<Extent>(sql)) ?? { newest: 0, indexed: 0 };
  }

  async #sweep(newest: number, indexed: number): Promise<void> {
    const within = newest - indexed > 2 * sweepSize(indexed) ? withinMilliseconds.crowded : withinMilliseconds.calm;
    for (let after: Uint8Array | undefined = new Uint8Array(); after !== undefined; ) {
      if (this.#turning.stopped) return;
      after = await this.#moveSlice(after, within);
    }
    // No key up to `newest` is left in the list: later ones may have been indexed as well, and are found twice.
    await this.#store.writeDerived((tx) => tx.run("update idempotency_key_indexed set number = $1", [newest]), {
      within,
    });
  }

  async #moveSlice(after: Uint8Array, within: number): Promise<Uint8Array | undefined> {
    const { size } = this.#slice;
    const { value, milliseconds } = await this.#store.writeDerived((tx) => sliceStep(tx, after, size), { within });
    this.#slice.took(milliseconds, size);
    return value;
  }
}

function sweepSize(indexed: number): number {
  return Math.min(sweepMax, Math.max(sweepMin, indexed / 16));
}

/** Moves the next keys behind `after`; returns the last one of them, or undefined when it has come to the end. */
function* sliceStep(tx: Tx, after: Uint8Array, size: number): Step<Uint8Array | undefined> {
  const last = yield* tx.one<{ binding: Uint8Array }>(
    "select binding from recent_key where binding > $1 order by binding limit 1 offset $2",
    [after, size - 1],
  );
  const range = last ? "binding > $1 and binding <= $2" : "binding > $1";
  const params = last ? [after, last.binding] : [after];
  yield* tx.run(
    `insert into idempotency_key_index (binding, number) select binding, number from recent_key
     where ${range} order by binding on conflict do nothing`,
    params,
  );
  yield* tx.run(`delete from recent_key where ${range}`, params);
  return last?.binding;
}
