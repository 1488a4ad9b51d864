import type { Write, WriteOptions } from "../../core/store.ts";
import type { DatabaseObserver } from "./observer.ts";
import type { GroupedWrite, TransactionRunner } from "./transaction-runner.ts";

interface Tools {
  runner: TransactionRunner;
  /** How many transactions may be under way. */
  connections: number;
  onCommit: ((writes: number, milliseconds: number) => void) | undefined;
  observer: DatabaseObserver | undefined;
}

/**
 * In writes. A group begins with fewer than the least when no other is under way. Two of the usual size, side by side,
 * take less time than one of twice that size: the database works for one while this process prepares the other.
 */
const [groupMin, groupUsual, groupMax] = [16, 32, 64];
/** How many groups are under way at most. */
const groupsMax = 8;

/** Writes that share transactions: which of them, and when one begins. */
export class WriteGroups {
  readonly #tools: Tools;
  #waiting: GroupedWrite[] = [];
  /** Groups under way. */
  #underWay = 0;
  #scheduled = false;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Writes that are in no group yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  write<T>(write: Write<T>, options: WriteOptions<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ write, options, resolve, reject } as unknown as GroupedWrite);
      this.#schedule();
    });
  }

  #schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#gather(0);
  }

  /** Begins groups after the first turn of the event loop that brings no further write, so that they are larger. */
  #gather(seen: number) {
    setImmediate(() => {
      const waiting = this.#waiting.length;
      if (waiting > seen && waiting < groupMax) return this.#gather(waiting);
      this.#scheduled = false;
      while (this.#waiting.length > 0 && this.#mayBeginGroup()) {
        void this.#runGroup(this.#waiting.splice(0, this.#groupSize()).sort(byOrder));
      }
    });
  }

  /** The more groups are under way, the larger the next one has to be: a group costs more than its writes. */
  #mayBeginGroup(): boolean {
    const underWay = this.#underWay;
    return underWay === 0 || (underWay < groupsMax && this.#waiting.length >= underWay * groupMin);
  }

  /** Larger than usual where there are not enough connections for all that waits. */
  #groupSize(): number {
    const connections = Math.max(1, Math.min(groupsMax, this.#tools.connections) - this.#underWay);
    return Math.min(groupMax, Math.max(groupUsual, Math.ceil(this.#waiting.length / connections)));
  }

  async #runGroup(jobs: GroupedWrite[]): Promise<void> {
    const started = performance.now();
    this.#underWay++;
    let failed: { again: GroupedWrite[]; doubt: boolean };
    try {
      failed = await this.#tools.runner.tryGroup(jobs);
      if (failed.again.length === 0) this.#tools.onCommit?.(jobs.length, performance.now() - started);
    } catch (error) {
      for (const { reject } of jobs) reject(error);
      return;
    } finally {
      this.#underWay--;
      if (this.#waiting.length > 0) this.#schedule();
    }
    for (const _ of failed.again) this.#tools.observer?.reran("shared");
    // Each alone: what made the group fail concerns one of them.
    await Promise.all(
      failed.again.map(({ write, options, resolve, reject }) =>
        this.#tools.runner.runAlone(write, { doubt: failed.doubt, ...options }).then(resolve, reject),
      ),
    );
  }
}

function byOrder(
  { options: { order: one = "" } }: GroupedWrite,
  { options: { order: other = "" } }: GroupedWrite,
): number {
  return one < other ? -1 : Number(one > other);
}
