import { Refusal } from "../core/context.ts";

/**
 * Lets a few calls at a time do their work; others wait for their turn in a line that is bounded. Whoever sends many at
 * once and never sends one again, as a provider does that signs a whole company out, is not refused.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #waitingMax: number;
  readonly #line: (() => void)[] = [];
  #running = 0;

  constructor({ atOnce, waitingMax }: { atOnce: number; waitingMax: number }) {
    this.#atOnce = atOnce;
    this.#waitingMax = waitingMax;
  }

  /** Throws 503 when too many wait. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running++;
    else await this.#turn();
    try {
      return await work();
    } finally {
      const next = this.#line.shift();
      // The turn is handed on, so that nobody who comes now gets in between.
      if (next) next();
      else this.#running--;
    }
  }

  #turn(): Promise<void> {
    if (this.#line.length >= this.#waitingMax) {
      throw new Refusal("service_unavailable", "Too many calls at once. Try again in a moment.");
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#line.push(resolve);
    return promise;
  }
}
