interface Round {
  /** The next answer, which has not been started: every page that asks now waits for it. */
  pending: Promise<unknown> | undefined;
  /** The next answer is not started before this time of `performance.now()`. */
  next: number;
}

/**
 * Shares one answer among many pages that ask at the same moment because all of them heard of the same change. One
 * answer is made for all pages that have asked by then; no page receives an answer that was started before the page
 * asked.
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
