/** The most requests in flight at once, over all subscribers. */
export const placesMax = 64;
/** The most of them for all slow subscribers together. */
const slowMax = 32;
/** This many places are kept for subscribers that have fewer than {@link few} requests in flight. */
const keptForFew = 16;
const few = 2;
/** Of these, this many are kept for subscribers that answered fast before. */
const keptForFast = 8;
/** A subscriber is slow when an answer takes longer than this, or has been awaited for longer. */
const slowMs = 1_000;
/** Subscribers of which it is remembered how fast they answer; beyond that the oldest is forgotten. */
const knownMax = 4_096;

/**
 * Decides which subscribers get the free places. A claim that runs again takes a new budget, from which nothing was
 * given.
 */
export interface Budget {
  /** Whether a subscriber with `underWay` requests in flight gets one more place; the place counts as taken if so. */
  take(subscriberId: string, underWay: number): boolean;
}

interface Held {
  subscriberId: string;
  /** Milliseconds of the monotonic clock. */
  since: number;
}

/**
 * Knows which subscribers have requests in flight and which answer fast, so that receivers that hang do not delay the
 * others. The last answer of a subscriber decides, so that one that recovers is fast again at once.
 */
export class Places {
  /** A fixed array: a Set with changing members keeps many of the old ones until the next full garbage collection. */
  readonly #held = new Array<Held | undefined>(placesMax).fill(undefined);
  readonly #fast = new Map<string, boolean>();
  readonly #now: () => number;
  #free = placesMax;

  /** `now` is a monotonic clock, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get free(): number {
    return this.#free;
  }

  /** Takes a place; the returned function gives the place back. */
  take(subscriberId: string): () => void {
    const place = this.#held.indexOf(undefined);
    const since = this.#now();
    this.#held[place] = { subscriberId, since };
    this.#free--;
    return () => {
      this.#held[place] = undefined;
      this.#free++;
      this.#note(subscriberId, this.#now() - since < slowMs);
    };
  }

  budget(): Budget {
    const hanging = new Set<string>();
    for (const held of this.#held) if (held && this.#now() - held.since >= slowMs) hanging.add(held.subscriberId);
    const isSlow = (id: string) => hanging.has(id) || this.#fast.get(id) === false;
    let free = this.#free;
    let slow = this.#held.reduce((sum, held) => sum + (held && isSlow(held.subscriberId) ? 1 : 0), 0);
    return {
      take: (id, underWay) => {
        if (free <= 0) return false;
        if (isSlow(id)) {
          if (slow >= slowMax || free <= keptForFew) return false;
          slow++;
        } else if (free <= keptForFew && underWay >= few) return false;
        else if (free <= keptForFast && !this.#fast.get(id)) return false;
        free--;
        return true;
      },
    };
  }

  #note(subscriberId: string, fast: boolean) {
    if (this.#fast.get(subscriberId) === fast) return;
    this.#fast.delete(subscriberId);
    this.#fast.set(subscriberId, fast);
    if (this.#fast.size <= knownMax) return;
    const [oldest] = this.#fast.keys();
    if (oldest !== undefined) this.#fast.delete(oldest);
  }
}
