/** What the limit says of one request; seconds are whole and rounded up. */
export interface Verdict {
  admitted: boolean;
  limit: number;
  /** Requests left after this one. */
  remaining: number;
  /** Until the oldest counted request leaves; on a refusal until a request would be admitted. */
  seconds: number;
  /** When it was counted, for {@link RateLimiter.giveBack}. */
  at: number;
}

/** Times are whole microseconds: sums of fractions would round a second up too many. */
const windowMicroseconds = 60_000_000;
const smallest = 16;

/**
 * A sliding log: at most `limit` requests are admitted in every span of 60 s, wherever it starts. A refused request is
 * not counted, so the seconds it is told are right. Kept in memory; a restart starts empty.
 */
export class RateLimiter {
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
      // With a limit that was lowered meanwhile, more than one has to leave.
      const leaves = log.at(log.length - limit) + windowMicroseconds;
      return { admitted: false, limit, remaining: 0, seconds: wholeSeconds(leaves - now), at: now };
    }
    log.push(now, limit);
    const leaves = log.at(0) + windowMicroseconds;
    return { admitted: true, limit, remaining: limit - log.length, seconds: wholeSeconds(leaves - now), at: now };
  }

  /** Takes an admitted request back: another limit refused it, so it does not count here. */
  giveBack(id: string, { at }: Verdict) {
    this.#logs.get(id)?.remove(at);
  }

  /** A map keeps the order of insertion: once it is half full, what is used moves to its end, and what is idle goes. */
  #logOf(id: string): Log {
    const known = this.#logs.get(id);
    if (known && this.#logs.size < this.#credentialsMax / 2) return known;
    const log = known ?? new Log();
    this.#logs.delete(id);
    if (this.#logs.size >= this.#credentialsMax) {
      const [idle] = this.#logs.keys();
      if (idle !== undefined) this.#logs.delete(idle);
    }
    this.#logs.set(id, log);
    return log;
  }
}

function wholeSeconds(microseconds: number): number {
  return Math.max(1, Math.ceil(microseconds / 1_000_000));
}

/** Times in a ring that grows up to the limit. */
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

  /** One entry of that time, the newest if there are several. */
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
