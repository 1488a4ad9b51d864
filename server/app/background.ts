import type { Work } from "./place.ts";

/** All work beside the requests. Starts it in the given order and stops it in the reverse one. */
export class Background {
  readonly #all: readonly Work[];

  constructor(all: readonly Work[]) {
    this.#all = all;
  }

  async start(): Promise<void> {
    for (const work of this.#all) await work.start();
  }

  async stop(): Promise<void> {
    for (const work of this.#all.toReversed()) await work.stop();
  }
}
