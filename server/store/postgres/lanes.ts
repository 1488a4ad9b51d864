import { StoreUnavailable } from "../../core/store.ts";
import { isOutOfConnections, troubleOf } from "./errors.ts";
import type { Lane } from "./lane.ts";
import type { LaneCounts } from "./observer.ts";

interface LanesOptions {
  /** How many may be open at once. */
  size: number;
  open: () => Promise<Lane>;
  /** Called when a lane could be opened, with undefined, and when one could not, with the reason as a sentence. */
  onOpened: (trouble: string | undefined) => void;
  /** Called when the server gives out no more lanes than are open, which have to do for now. */
  onFewer?: () => void;
}

interface Waiter {
  /** Until when it waits while no lane can be opened. */
  until: number;
  resolve: (lane: Lane) => void;
  reject: (error: unknown) => void;
}

/** How long a write waits while no lane can be opened: a server that restarts after a crash is back sooner. */
const outageMilliseconds = 2_000;
const retry = { first: 50, longest: 2_000 } as const;

/** A fixed number of connections, each opened when it is needed first, and again after it was lost. */
export class Lanes {
  readonly #options: LanesOptions;
  readonly #open = new Set<Lane>();
  readonly #idle: Lane[] = [];
  #waiters: Waiter[] = [];
  #opening = 0;
  #failures = 0;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  /** Until when no more are opened, as the server gives out none. */
  #fewerUntil = Number.NEGATIVE_INFINITY;
  #closed = false;

  constructor(options: LanesOptions) {
    this.#options = options;
  }

  /** A lane for one caller alone, to be given back. Rejects with {@link StoreUnavailable} when none can be opened. */
  take(): Promise<Lane> {
    if (this.#closed) return Promise.reject(new StoreUnavailable("shutting down"));
    const lane = this.#takeIdle();
    if (lane) return Promise.resolve(lane);
    return new Promise((resolve, reject) => {
      this.#waiters.push({ until: performance.now() + outageMilliseconds, resolve, reject });
      this.#openMore();
    });
  }

  give(lane: Lane) {
    if (lane.lost !== undefined || this.#closed) {
      this.#open.delete(lane);
      lane.close();
      return this.#openMore();
    }
    const waiter = this.#waiters.shift();
    if (waiter) waiter.resolve(lane);
    else this.#idle.push(lane);
  }

  /** To be called from time to time: gives up lanes whose answer is overdue, and callers who have waited too long. */
  look(now: number) {
    for (const lane of this.#open) lane.look(now);
    if (this.#failures === 0) return;
    const [late, others] = [[] as Waiter[], [] as Waiter[]];
    for (const waiter of this.#waiters) (waiter.until < now ? late : others).push(waiter);
    this.#waiters = others;
    for (const { reject } of late) reject(new StoreUnavailable("the database cannot be reached"));
  }

  /** Opens some before anybody waits for one. */
  async warm(count: number): Promise<void> {
    const lanes = await Promise.allSettled(
      Array.from({ length: Math.min(count, this.#options.size) }, () => this.take()),
    );
    for (const lane of lanes) if (lane.status === "fulfilled") this.give(lane.value);
  }

  counts(): LaneCounts {
    const open = this.#open.size;
    return { open, busy: open - this.#idle.length, waiting: this.#waiters.length };
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#retryTimer);
    for (const lane of this.#open) lane.close();
    for (const { reject } of this.#waiters.splice(0)) reject(new StoreUnavailable("shutting down"));
  }

  #takeIdle(): Lane | undefined {
    for (let lane = this.#idle.pop(); lane; lane = this.#idle.pop()) {
      if (lane.lost === undefined) return lane;
      this.#open.delete(lane);
    }
    return undefined;
  }

  #openMore() {
    if (this.#closed || this.#retryTimer !== undefined) return;
    if (this.#open.size > 0 && performance.now() < this.#fewerUntil) return;
    const wanted = Math.min(this.#waiters.length - this.#opening, this.#options.size - this.#open.size - this.#opening);
    // After a failure one tries for all.
    const now = this.#failures > 0 ? Math.min(wanted, this.#opening > 0 ? 0 : 1) : wanted;
    for (let i = 0; i < now; i++) void this.#openOne();
  }

  async #openOne(): Promise<void> {
    this.#opening++;
    try {
      const lane = await this.#options.open();
      this.#opening--;
      this.#failures = 0;
      this.#open.add(lane);
      this.#options.onOpened(undefined);
      this.give(lane);
      this.#openMore();
    } catch (error) {
      this.#opening--;
      if (this.#open.size > 0 && isOutOfConnections(error)) {
        this.#fewerUntil = performance.now() + retry.longest;
        this.#options.onFewer?.();
        return;
      }
      this.#failures++;
      this.#options.onOpened(troubleOf(error) ?? "the database cannot be reached");
      const wait = Math.min(retry.longest, retry.first * 2 ** (this.#failures - 1));
      this.#retryTimer ??= setTimeout(() => {
        this.#retryTimer = undefined;
        this.#openMore();
      }, wait);
    }
  }
}
