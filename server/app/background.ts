/** What works beside the requests for as long as the server runs. */
interface Work {
  start(): void | Promise<void>;
  /** Resolves once nothing of the work goes on. May be called before a start. */
  stop(): Promise<void>;
}

/** Everything that works beside the requests: starts in the given order, and stops in the reverse one. */
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
