/** Requests under way at once, of all subscribers. */
export const placesMax = 64;
/** Of these, for subscribers that answer slowly, all together. */
const slowMax = 32;
/** The last ones are for subscribers that have fewer than {@link few} under way. */
const keptForFew = 16;
const few = 2;
/** The very last ones are, of those, for whoever has answered fast before. */
const keptForFast = 8;
/** An answer that takes longer, or has not come by then, is slow. */
const slowMs = 1_000;
/** Subscribers of whom it is known how fast they answer; beyond that the oldest is forgotten. */
const knownMax = 4_096;

/** Decides who gets the places that are free now. Asked again, it has given none. */
export interface Budget {
  /** Whether a subscriber that has so many under way gets one more; counted if so. */
  take(subscriberId: string, underWay: number): boolean;
}

interface Held {
  subscriberId: string;
  /** By the monotonic clock. */
  since: number;
}

/**
 * Who is at what, and who answers fast: receivers that hang must not keep others waiting until they are given up. What is
 * known of a subscriber is its last answer, so that one that recovers is treated as before at once.
 */
export class Places {
  /** Taken in turn: a Set of what comes and goes keeps much of it until the next full collection. */
  readonly #held = new Array<Held | undefined>(placesMax).fill(undefined);
  readonly #fast = new Map<string, boolean>();
  readonly #now: () => number;
  #free = placesMax;

  /** `now` is monotonic, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get free(): number {
    return this.#free;
  }

  /** Returns what gives it back. */
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
