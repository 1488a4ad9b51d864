interface Round {
  /** The next answer, which is not begun yet: everybody who asks now waits for it. */
  pending: Promise<unknown> | undefined;
  /** The next answer is not begun before this moment of `performance.now()`. */
  next: number;
}

/**
 * Answers that many pages ask for at the same moment, because all of them heard of the same change. One answer is made
 * for all pages that have asked until then; no page is given an answer that was begun before it asked.
 */
export class Shared<T> {
  readonly #rounds = new Map<string, Round>();
  readonly #share: number;

  /** Making one answer takes at most this share of the time, however many pages ask for it. */
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
    // Pages that ask from here on wait for the next answer.
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
