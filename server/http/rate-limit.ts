import { type Limiter, type Verdict, wholeSeconds } from "../core/limiter.ts";

/** Times are whole microseconds, because sums of fractions would give a wait that is a second too long. */
const windowMicroseconds = 60_000_000;
const smallest = 16;

/** A sliding log in memory, for a process that answers all requests of its installation; a restart starts empty. */
export class RateLimiter implements Limiter {
  readonly #logs = new Map<string, Log>();
  readonly #now: () => number;
  readonly #credentialsMax: number;

  constructor({ now = () => performance.now(), credentialsMax = 100_000 } = {}) {
    this.#now = now;
    this.#credentialsMax = credentialsMax;
  }

  take(id: string, limit: number): Verdict {
    const now = Math.round(this.#now() * 1_000);
    const log = this.#logOf(id);
    log.forget(now - windowMicroseconds);
    if (log.length >= limit) {
      // When the limit has been lowered, more than one request has to leave the window.
      const leaves = log.at(log.length - limit) + windowMicroseconds;
      return { admitted: false, limit, remaining: 0, seconds: wholeSeconds((leaves - now) / 1_000), at: now };
    }
    log.push(now, limit);
    const leaves = log.at(0) + windowMicroseconds;
    return {
      admitted: true,
      limit,
      remaining: limit - log.length,
      seconds: wholeSeconds((leaves - now) / 1_000),
      at: now,
    };
  }

  giveBack(id: string, { at }: Verdict) {
    this.#logs.get(id)?.remove(at);
  }

  /**
   * The map keeps the order of insertion. Once it is half full, a used log moves to its end; when it is full, the first
   * goes.
   */
  #logOf(id: string): Log {
    const existing = this.#logs.get(id);
    if (existing && this.#logs.size < this.#credentialsMax / 2) return existing;
    const log = existing ?? new Log();
    this.#logs.delete(id);
    if (this.#logs.size >= this.#credentialsMax) {
      const [idle] = this.#logs.keys();
      if (idle !== undefined) this.#logs.delete(idle);
    }
    this.#logs.set(id, log);
    return log;
  }
}

/** The times of counted requests, in a ring that grows up to the limit. */
class Log {
  #times = new Float64Array(smallest);
  #start = 0;
  length = 0;

  at(index: number): number {
    return this.#times[(this.#start + index) % this.#times.length] as number;
  }

  forget(until: number) {
    while (this.length > 0 && this.at(0) <= until) {
      this.#start = (this.#start + 1) % this.#times.length;
      this.length--;
    }
  }

  push(time: number, limit: number) {
    if (this.length === this.#times.length) this.#grow(Math.min(Math.max(limit, this.length + 1), this.length * 2));
    this.#times[(this.#start + this.length) % this.#times.length] = time;
    this.length++;
  }

  /** Removes one entry of that time, the newest if there are several. */
  remove(time: number) {
    let index = this.length - 1;
    while (index >= 0 && this.at(index) !== time) index--;
    if (index < 0) return;
    for (; index < this.length - 1; index++) {
      this.#times[(this.#start + index) % this.#times.length] = this.at(index + 1);
    }
    this.length--;
  }

  #grow(size: number) {
    const times = new Float64Array(size);
    for (let i = 0; i < this.length; i++) times[i] = this.at(i);
    this.#times = times;
    this.#start = 0;
  }
}
