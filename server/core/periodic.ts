import { log } from "./log.ts";
import { StoreUnavailable } from "./store.ts";

interface PeriodicOptions {
  /** One turn of the work. What it throws is logged and ends this turn only. */
  turn: () => void | Promise<void>;
  /** Milliseconds from one turn to the next; without it only {@link Periodic.wake} begins one. */
  every?: number;
  /** The log message for a turn that failed. */
  failed: string;
  timer?: StartTimer;
  /** A timer in milliseconds that is independent of the clock. */
  monotonic?: () => number;
}

/** Calls `tick` repeatedly; returns a function that ends it. */
export type StartTimer = (tick: () => void, milliseconds: number) => () => void;

/** How often the same error is logged, so that work with many turns a second does not fill the log. */
const loggedAgainMilliseconds = 60_000;

/**
 * Work that is repeated while the server runs. Two turns never overlap: a tick during a turn is skipped. The timer
 * keeps no process alive.
 */
export class Periodic {
  readonly #options: PeriodicOptions;
  readonly #timer: StartTimer;
  readonly #monotonic: () => number;
  #endTimer: (() => void) | undefined;
  #turning = false;
  #running = Promise.resolve();
  #again = false;
  #stopped = false;
  #logged = { error: "", at: Number.NEGATIVE_INFINITY };

  constructor(options: PeriodicOptions) {
    this.#options = options;
    this.#timer = options.timer ?? unreferencedInterval;
    this.#monotonic = options.monotonic ?? (() => performance.now());
  }

  /**
   * Starts the work: the first turn comes after one interval; {@link wake} begins one at once. May be called again
   * after a stop.
   */
  start() {
    this.#stopped = false;
    const { every } = this.#options;
    if (every === undefined) return;
    this.#endTimer ??= this.#timer(() => {
      if (!this.#turning) void this.wake();
    }, every);
  }

  /**
   * Begins a turn before this returns, or another one after the current turn. Resolves after that turn, failed or not;
   * at once when stopped.
   */
  wake(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    this.#again = true;
    if (!this.#turning) this.#running = this.#run();
    return this.#running;
  }

  /** Begins no further turn; resolves when the current one has ended. */
  stop(): Promise<void> {
    this.#stopped = true;
    this.#endTimer?.();
    this.#endTimer = undefined;
    return this.#running;
  }

  /** Whether the work is being stopped. Turns with many steps ask this between two of them. */
  get stopped(): boolean {
    return this.#stopped;
  }

  async #run(): Promise<void> {
    this.#turning = true;
    while (this.#again && !this.#stopped) {
      this.#again = false;
      try {
        await this.#options.turn();
      } catch (error) {
        this.#failed(error);
      }
    }
    // There is no await between the check of #again and here, so that a later wake begins another run.
    this.#turning = false;
  }

  #failed(error: unknown) {
    // The store has logged already that it cannot commit.
    if (error instanceof StoreUnavailable) return;
    const now = this.#monotonic();
    if (String(error) === this.#logged.error && now - this.#logged.at < loggedAgainMilliseconds) return;
    this.#logged = { error: String(error), at: now };
    log.warn(this.#options.failed, { error });
  }
}

const unreferencedInterval: StartTimer = (tick, milliseconds) => {
  const timer = setInterval(tick, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
};
