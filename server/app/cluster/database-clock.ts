/** Beyond this difference a machine's clock is wrong, in milliseconds. */
const wrongMilliseconds = 60_000;
/** A step back of the database's clock that is larger than this is followed. */
const backMilliseconds = 1_000;

/**
 * The database's clock, as this process knows it: what processes store is compared with what others store, so all of
 * them go by one clock. Between two answers of the database the time goes on by the monotonic clock, so that setting the
 * machine's clock changes nothing.
 */
export class DatabaseClock {
  readonly #machine: () => number;
  readonly #monotonic: () => number;
  /** The database's time, and the monotonic time then. */
  #known: { at: number; monotonic: number } | undefined;
  #latest = 0;

  constructor({ machine = () => Date.now(), monotonic = () => performance.now() } = {}) {
    this.#machine = machine;
    this.#monotonic = monotonic;
  }

  /** Epoch milliseconds, whole ones. The machine's clock until the database has answered. */
  readonly now = (): number => {
    if (!this.#known) return this.#machine();
    const now = Math.floor(this.#known.at + this.#monotonic() - this.#known.monotonic);
    if (now > this.#latest || now < this.#latest - backMilliseconds) this.#latest = now;
    return this.#latest;
  };

  /** An answer of the database: the time that it told between two moments of the monotonic clock. */
  told(at: number, sent: number, received: number) {
    const answer = { at, monotonic: (sent + received) / 2 };
    const difference = this.#known && at - this.#known.at - (answer.monotonic - this.#known.monotonic);
    // What the way to the database and back explains is no difference.
    if (difference === undefined || Math.abs(difference) > (received - sent) / 2) this.#known = answer;
  }

  /** What is wrong with the machine's clock, as a sentence; undefined while it is right. */
  readonly trouble = (): string | undefined => {
    const offset = this.#machine() - this.now();
    return Math.abs(offset) > wrongMilliseconds ? clockWords(offset) : undefined;
  };
}

/** By how many milliseconds this machine's clock is ahead of the database's, as a sentence. */
export function clockWords(offset: number): string {
  const where = offset > 0 ? "ahead of" : "behind";
  const seconds = Math.round(Math.abs(offset) / 1_000);
  return `this machine's clock is ${seconds} s ${where} the database's; set both right, with NTP`;
}
