interface Round {
  /** Began after everybody had asked who waits for it. */
  pending: Promise<unknown> | undefined;
  /** Not before: `performance.now()`. */
  next: number;
}

/**
 * Answers that many pages ask for at the same moment, because all were told of the same change: made once for all who
 * have asked by then. Nobody is given what was made before they asked.
 */
export class Shared<T> {
  readonly #rounds = new Map<string, Round>();
  readonly #share: number;

  /** Of the time at most this part goes into one answer, however many ask for it. */
  constructor(share = 1 / 20) {
    this.#share = share;
  }

  get(key: string, make: () => Promise<T>): Promise<T> {
    const round = this.#rounds.get(key) ?? { pending: undefined, next: 0 };
    this.#rounds.set(key, round);
    round.pending ??= this.#make(key, round, make);
    return round.pending as Promise<T>;
  }

  async #make(key: string, round: Round, make: () => Promise<T>): Promise<T> {
    await Bun.sleep(Math.max(0, round.next - performance.now()));
    // Who asks from here on waits for the next one.
    round.pending = undefined;
    const began = performance.now();
    try {
      return await make();
    } finally {
      const took = performance.now() - began;
      round.next = performance.now() + took / this.#share - took;
      setTimeout(() => this.#forget(key, round), took / this.#share).unref();
    }
  }

  #forget(key: string, round: Round) {
    if (round.pending === undefined && performance.now() >= round.next) this.#rounds.delete(key);
  }
}
