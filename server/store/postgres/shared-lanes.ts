import { StoreUnavailable } from "../../core/store.ts";
import { isOutOfConnections, troubleOf } from "./errors.ts";
import type { Lane } from "./lane.ts";
import type { LaneCounts } from "./observer.ts";

const retryMilliseconds = 250;

/** Connections that all readers share: queries go out one behind the other, without waiting for answers. */
export class SharedLanes {
  readonly #open: () => Promise<Lane>;
  readonly #onFewer: () => void;
  readonly #lanes: (Lane | undefined)[];
  readonly #opening = new Map<number, Promise<Lane>>();
  readonly #failed: number[] = [];
  /** Reads of this turn of the event loop that others of the same turn share. */
  readonly #shared = new Map<string, Promise<unknown>>();
  #closed = false;

  /** `onFewer` is called when the server gives out no more connections, and those that are open have to do. */
  constructor(size: number, open: () => Promise<Lane>, onFewer: () => void = () => {}) {
    this.#open = open;
    this.#onFewer = onFewer;
    this.#lanes = Array.from({ length: size }, () => undefined);
  }

  /** The lane with the fewest queries under way; one is opened when all that are open are busy. */
  async next(): Promise<Lane> {
    if (this.#closed) throw new StoreUnavailable("shutting down");
    let best: Lane | undefined;
    let missing: number | undefined;
    for (const [i, lane] of this.#lanes.entries()) {
      if (!lane || lane.lost !== undefined) missing ??= i;
      else if (!best || lane.waiting < best.waiting) best = lane;
    }
    if (missing === undefined || best?.waiting === 0) return best as Lane;
    const opening = this.#openAt(missing);
    // Whoever has a lane to go on with does not wait for another one.
    if (!best) return opening;
    opening.catch(() => {});
    return best;
  }

  /** Shares the result of a read with whoever asks for the same within this turn of the event loop. */
  shared<T>(key: string, read: () => Promise<T>): Promise<T> {
    const under = this.#shared.get(key);
    if (under) return under as Promise<T>;
    if (this.#shared.size === 0) setImmediate(() => this.#shared.clear());
    const reading = read();
    this.#shared.set(key, reading);
    return reading;
  }

  look(now: number) {
    for (const lane of this.#lanes) lane?.look(now);
  }

  /** Opens some before anybody asks. */
  async warm(count: number): Promise<void> {
    const places = [...this.#lanes.keys()].slice(0, count).filter((place) => this.#lanes[place] === undefined);
    await Promise.allSettled(places.map((place) => this.#openAt(place)));
  }

  counts(): LaneCounts {
    const open = this.#lanes.filter((lane): lane is Lane => lane !== undefined && lane.lost === undefined);
    const busy = open.filter(({ waiting }) => waiting > 0);
    const waiting = busy.reduce((sum, lane) => sum + lane.waiting - 1, 0);
    return { open: open.length, busy: busy.length, waiting };
  }

  close() {
    this.#closed = true;
    for (const lane of this.#lanes) lane?.close();
  }

  #openAt(place: number): Promise<Lane> {
    const under = this.#opening.get(place);
    if (under) return under;
    if (performance.now() - (this.#failed[place] ?? Number.NEGATIVE_INFINITY) < retryMilliseconds) {
      return Promise.reject(new StoreUnavailable("the database cannot be reached"));
    }
    const opening = this.#open()
      .then(
        (lane) => {
          if (this.#closed) lane.close();
          this.#lanes[place] = lane;
          return lane;
        },
        (error: unknown) => {
          this.#failed[place] = performance.now();
          if (isOutOfConnections(error) && this.counts().open > 0) this.#onFewer();
          throw new StoreUnavailable(troubleOf(error) ?? "the database cannot be reached", { cause: error });
        },
      )
      .finally(() => this.#opening.delete(place));
    this.#opening.set(place, opening);
    return opening;
  }
}
