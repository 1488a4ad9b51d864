import type { Cutoff } from "../../core/cutoff.ts";
import { log } from "../../core/log.ts";
import { Periodic } from "../../core/periodic.ts";
import { type Store, StoreUnavailable } from "../../core/store.ts";
import type { Attempt } from "./attempt.ts";
import { type Claimed, claim, type LeaseHolder } from "./claim.ts";
import { DeliveryClock } from "./delivery-clock.ts";
import { beginMove, finishMove, moveSinceSeen, noteSeen } from "./move-moments.ts";
import { Places, placesMax } from "./places.ts";
import { repairClockSkew } from "./repair-clock-skew.ts";
import { type Attempted, type Settled, settle, settleAbandoned } from "./settle.ts";

/** How often the worker looks for due deliveries and for changes that the command line made. */
const lookMilliseconds = 250;
const recoverMilliseconds = 5_000;
const noteMilliseconds = 60_000;

/** An attempt that has ended, with the total by which the clock had been set when it began. */
interface Ended {
  attempted: Attempted;
  clockSet: number;
}

interface WorkerTools {
  store: Store;
  attempt: Attempt;
  schedule: readonly number[];
  /** Epoch milliseconds. */
  now: () => number;
  /** Milliseconds of a monotonic clock, which is never set. */
  monotonic: () => number;
  newId: () => string;
  cutoff?: Cutoff | undefined;
  /** This process, where others use the store. */
  holder?: LeaseHolder | undefined;
  /** Called with every attempt that was settled. */
  settled: (settled: Settled) => void;
}

/**
 * Sends due deliveries: claims them in batches, attempts them and settles the attempts in batches. Its state is in the
 * store, so a process that is killed loses nothing, and two workers at one store never make the same attempt.
 */
export class DeliveryWorker {
  readonly #tools: WorkerTools;
  readonly #claiming = new Periodic({
    turn: () => this.#claim(),
    failed: "deliveries could not be claimed and will be tried again",
  });
  readonly #looking = this.#every(lookMilliseconds, () => this.#look());
  readonly #recovering = this.#every(recoverMilliseconds, () => this.#recover(false));
  readonly #noting = this.#every(noteMilliseconds, () => this.#note());
  readonly #places: Places;
  readonly #clock: DeliveryClock;
  /** Set while times are moved because the clock was set; nothing is claimed or settled until then. */
  #moving: Promise<void> | undefined;
  /** Whether times are still to be moved. A move that failed is tried again before anything else. */
  #toMove = false;
  /** By how much the clock was set since the last move began, and what it showed then. */
  #set = { by: 0, now: 0 };
  /** Whether this is the only worker at the store: only then it moves times after the clock was set. */
  #alone = false;
  #noneUnderWay: PromiseWithResolvers<void> | undefined;
  /** Attempts that have ended but are not settled. */
  #ended: Ended[] = [];
  /** Attempts that storage was away for when they were to be settled. They are tried again at the next look. */
  readonly #unsettled: Ended[] = [];
  /** Claims that nothing was sent for because storage was away. They are given back with the next claim. */
  readonly #unsent: Claimed[] = [];
  #settling: Timer | undefined;
  /** Resolves once all attempts that were being settled are settled, or could not be. */
  #writing: Promise<void> = Promise.resolve();

  constructor(tools: WorkerTools) {
    this.#tools = tools;
    this.#places = new Places(tools.monotonic);
    this.#clock = new DeliveryClock(tools);
  }

  /** `alone`: no other worker uses the store, so every lease was left by an earlier process. */
  async start({ alone }: { alone: boolean }): Promise<void> {
    const { store, now } = this.#tools;
    this.#alone = alone;
    if (alone) await moveSinceSeen(store, now());
    await this.#recover(alone);
    if (alone) this.#noting.start();
    this.#looking.start();
    this.#recovering.start();
    this.wake();
  }

  /** To be called when there is something to send. */
  wake() {
    void this.#claiming.wake();
  }

  /**
   * Repairs times that a clock set ahead left. For one worker of all that use a store; one that is alone does it by
   * itself.
   */
  clockRepair(store: Store): Periodic {
    return this.#every(recoverMilliseconds, () => this.#repairClock(store));
  }

  /** To be called when attempts were abandoned. */
  recover() {
    void this.#recovering.wake();
  }

  /** Claims nothing more and waits for the attempts in flight. */
  async stop(): Promise<void> {
    const periodics = [this.#claiming, this.#looking, this.#recovering, this.#noting];
    await Promise.all(periodics.map((periodic) => periodic.stop()));
    this.#noneUnderWay ??= Promise.withResolvers();
    if (!this.#idle) await this.#noneUnderWay.promise;
    clearTimeout(this.#settling);
    await this.#writing;
    this.#ended.push(...this.#unsettled.splice(0));
    await this.#settle();
    if (this.#alone) await this.#note().catch(() => {});
  }

  /** Notes the time. When the clock was set, all waiting times move first. */
  async #note(): Promise<void> {
    const moving = this.#setRight();
    if (moving) await moving;
    await noteSeen(this.#tools.store, this.#tools.now());
  }

  /**
   * Moves times when the clock was set. Returns undefined otherwise, so that the caller need not wait for a turn of the
   * event loop.
   */
  #setRight(): Promise<void> | undefined {
    const by = this.#clock.jump();
    if (by !== 0 && this.#alone) {
      log.warn("the clock was set; deliveries wait for as long as before", { milliseconds: by });
      this.#set = { by: this.#set.by + by, now: this.#tools.now() };
      this.#toMove = true;
    }
    if (!this.#toMove) return undefined;
    this.#moving ??= this.#move().finally(() => {
      this.#moving = undefined;
    });
    return this.#moving;
  }

  async #move(): Promise<void> {
    const { store } = this.#tools;
    // Finishes a move that has failed before.
    await finishMove(store);
    while (this.#set.by !== 0) {
      const { by, now } = this.#set;
      await beginMove(store, { by, now });
      this.#set.by -= by;
      await finishMove(store);
    }
    this.#toMove = false;
  }

  get #idle(): boolean {
    return this.#places.free === placesMax;
  }

  async #claim(): Promise<void> {
    const moving = this.#setRight();
    if (moving) await moving;
    const limit = this.#places.free;
    if (limit <= 0) return;
    const { store, now, newId, holder } = this.#tools;
    // Others would take what this process claims, as long as they count it as dead.
    if (holder?.alive() === false) return;
    const budget = () => this.#places.budget();
    const claimed = await claim(store, { limit, now: now(), newId, holder, budget, unsent: this.#unsent });
    for (const one of claimed) this.#attempt(one);
  }

  #attempt(claimed: Claimed) {
    const giveBack = this.#places.take(claimed.subscriberId);
    const clockSet = this.#clock.set;
    this.#tools
      .attempt(claimed)
      .then((attempted) => this.#end(attempted, clockSet))
      .catch((error) => {
        if (error instanceof StoreUnavailable) this.#unsent.push(claimed);
        else log.error("an attempt failed for a reason of our own", { delivery: claimed.id, error });
      })
      .finally(() => {
        giveBack();
        if (this.#idle) this.#noneUnderWay?.resolve();
      });
  }

  #end(attempted: Attempted, clockSet: number) {
    this.#ended.push({ attempted, clockSet });
    this.#settleSoon();
  }

  #settleSoon() {
    // Attempts that end in one turn of the event loop are settled in one transaction. Waiting longer would keep a place
    // busy that another delivery could have.
    this.#settling ??= setTimeout(() => {
      // Without a value: each would keep those of all before it.
      this.#writing = Promise.all([this.#writing, this.#settle()]).then(() => {});
    }, 0);
  }

  async #settle(): Promise<void> {
    this.#settling = undefined;
    try {
      const moving = this.#setRight();
      if (moving) await moving;
    } catch (error) {
      log.warn("attempts could not be written down", { attempts: this.#ended.length, error });
      this.#ended = [];
      return;
    }
    const ended = this.#ended;
    this.#ended = [];
    if (ended.length === 0) return;
    const attempts = ended.map(({ attempted, clockSet }) => {
      const since = this.#clock.set - clockSet;
      return since === 0 ? attempted : { ...attempted, startedAt: attempted.startedAt + since };
    });
    const { store, now, schedule, cutoff } = this.#tools;
    try {
      const settling = settle(store, attempts, { now: now(), schedule, random: Math.random, cutoff });
      // Claiming is requested in the same turn, so that it runs in the same transaction as settling.
      this.wake();
      for (const one of await settling) this.#tell(one);
      // PostgreSQL may have run the claim beside the settling, where it skips the subscribers that are being settled.
      if (store.engine === "postgres") this.wake();
    } catch (error) {
      if (error instanceof StoreUnavailable && !this.#looking.stopped) {
        this.#unsettled.push(...ended);
        return;
      }
      // The leases of these attempts expire, and the deliveries are tried again: they are sent at least once.
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
    if (this.#unsettled.length > 0) {
      this.#ended.push(...this.#unsettled.splice(0));
      this.#settleSoon();
    }
    if (this.#unsent.length > 0) this.wake();
    await this.#setRight();
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

  /** Settles attempts that a killed process left, and repairs times that a clock set ahead left. */
  async #recover(all: boolean): Promise<void> {
    await this.#setRight();
    const { store, now, schedule, cutoff } = this.#tools;
    if (this.#alone) await this.#repairClock(this.#tools.store);
    let settled: Settled[];
    do {
      settled = await settleAbandoned(store, { now: now(), schedule, random: Math.random, cutoff, all });
      for (const one of settled) this.#tell(one);
    } while (settled.length > 0);
  }

  #repairClock(store: Store): Promise<void> {
    const { now, schedule } = this.#tools;
    return repairClockSkew(store, { now: now(), schedule, random: Math.random });
  }

  #every(every: number, turn: () => Promise<void>): Periodic {
    return new Periodic({ turn, every, failed: "looking for deliveries failed and will be tried again" });
  }
}
