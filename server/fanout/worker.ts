import { log } from "../ops/log.ts";
import type { Store } from "../store/store.ts";
import type { Attempt } from "./attempt.ts";
import { type Claimed, claim } from "./claim.ts";
import { setClockRight } from "./set-clock-right.ts";
import { type Attempted, type Settled, settle, settleAbandoned } from "./settle.ts";

/** Requests under way at once, of all subscribers. */
const inFlightTotal = 64;
/** How often one looks for what has come due, or was changed by the command line. */
const lookMilliseconds = 250;
const recoverMilliseconds = 5_000;

export interface WorkerTools {
  store: Store;
  attempt: Attempt;
  schedule: readonly number[];
  now: () => number;
  newId: () => string;
  /** Told of everything that was settled. */
  settled: (settled: Settled) => void;
}

/**
 * Sends what is due: claims in batches, attempts, settles in batches. Everything that matters is in the store, so that a
 * process that is killed loses nothing, and two at one store never send the same attempt.
 */
export class DeliveryWorker {
  readonly #tools: WorkerTools;
  readonly #timers: Timer[] = [];
  /** A number only: a Set of what comes and goes keeps much of it until the next full collection. */
  #underWay = 0;
  #noneUnderWay: PromiseWithResolvers<void> | undefined;
  #ended: Attempted[] = [];
  #settling: Timer | undefined;
  #running = false;
  #claiming: Promise<void> = Promise.resolve();
  #writing: Promise<void> = Promise.resolve();
  #again = false;
  #stopped = false;

  constructor(tools: WorkerTools) {
    this.#tools = tools;
  }

  /** `alone`: nobody else is at this store, so every lease is of an earlier life. */
  async start({ alone }: { alone: boolean }): Promise<void> {
    await this.#recover(alone);
    this.#every(lookMilliseconds, () => this.#look());
    this.#every(recoverMilliseconds, () => this.#recover(false));
    this.wake();
  }

  /** There is something to send. */
  wake() {
    this.#again = true;
    if (this.#running || this.#stopped) return;
    this.#running = true;
    this.#claiming = this.#run().catch((error) =>
      log.warn("deliveries could not be claimed and will be tried again", { error }),
    );
  }

  /** Claims nothing more, and waits for what is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#claiming;
    this.#noneUnderWay ??= Promise.withResolvers();
    if (this.#underWay > 0) await this.#noneUnderWay.promise;
    clearTimeout(this.#settling);
    await this.#writing;
    await this.#settle();
  }

  async #run(): Promise<void> {
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false;
        const limit = inFlightTotal - this.#underWay;
        if (limit <= 0) return;
        const { store, now, newId } = this.#tools;
        const claimed = await claim(store, { limit, now: now(), newId });
        for (const one of claimed) this.#attempt(one);
      }
    } finally {
      // In the turn in which it was looked at last: whoever wakes it later is heard.
      this.#running = false;
    }
  }

  #attempt(claimed: Claimed) {
    this.#underWay++;
    this.#tools
      .attempt(claimed)
      .then((attempted) => this.#end(attempted))
      .catch((error) => log.error("an attempt failed for a reason of our own", { delivery: claimed.id, error }))
      .finally(() => {
        if (--this.#underWay === 0) this.#noneUnderWay?.resolve();
      });
  }

  #end(attempted: Attempted) {
    this.#ended.push(attempted);
    // Those that end in one turn of the loop share a transaction. Waiting longer for more would keep a place busy that
    // another delivery could have.
    this.#settling ??= setTimeout(() => {
      this.#writing = this.#settle();
    }, 0);
  }

  async #settle(): Promise<void> {
    this.#settling = undefined;
    const attempts = this.#ended;
    this.#ended = [];
    if (attempts.length === 0) return;
    const { store, now, schedule } = this.#tools;
    try {
      const settling = settle(store, attempts, { now: now(), schedule, luck: Math.random });
      // Asked for in the same turn, so that what has room now is claimed in the same transaction.
      this.wake();
      for (const one of await settling) this.#tell(one);
    } catch (error) {
      // Their leases run out, and they are tried again: at least once.
      log.warn("attempts could not be written down", { attempts: attempts.length, error });
    }
  }

  #tell(settled: Settled) {
    const { attempted, state, disabled } = settled;
    const { messageId, subscriberId: subscriber, number: attempt } = attempted.claimed;
    const about = { subscriber, message: messageId, attempt, error: attempted.error };
    if (disabled !== undefined) log.error("subscriber.disabled", { subscriber, reason: disabled });
    else if (state === "dead") log.warn("a delivery is spent", about);
    else if (attempted.error === "abandoned" || state === "superseded") log.warn("an attempt was given up", about);
    this.#tools.settled(settled);
  }

  async #look(): Promise<void> {
    const due = await this.#tools.store.one(
      `select 1 as due from subscriber
       where state = 'active' and (open_until is null or open_until <= $1)
         and exists (select 1 from delivery
                     where subscriber_id = subscriber.id and state = 'waiting' and next_at <= $1)
       limit 1`,
      [this.#tools.now()],
    );
    if (due) this.wake();
  }

  /** From what a process that is gone has left, and from a clock that ran ahead. */
  async #recover(all: boolean): Promise<void> {
    const { store, now, schedule } = this.#tools;
    await setClockRight(store, { now: now(), schedule, luck: Math.random });
    let settled: Settled[];
    do {
      settled = await settleAbandoned(store, { now: now(), schedule, luck: Math.random, all });
      for (const one of settled) this.#tell(one);
    } while (settled.length > 0);
  }

  #every(milliseconds: number, work: () => Promise<void>) {
    let busy = false;
    const timer = setInterval(() => {
      if (busy) return;
      busy = true;
      void work()
        .catch((error) => log.warn("looking for deliveries failed and will be tried again", { error }))
        .finally(() => {
          busy = false;
        });
    }, milliseconds);
    timer.unref();
    this.#timers.push(timer);
  }
}
