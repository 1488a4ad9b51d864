import { CommitInDoubt, Raced, StoreUnavailable, type Write, type WriteOptions } from "../../core/store.ts";
import { isConflict, isConnectionLost, isConstraint, troubleOf } from "./errors.ts";
import type { Lanes } from "./lanes.ts";
import type { MergeableTexts } from "./merge-inserts.ts";
import type { DatabaseObserver } from "./observer.ts";
import type { StoreTrouble } from "./store-trouble.ts";
import { Transaction } from "./transaction.ts";

interface Tools {
  lanes: Lanes;
  texts: MergeableTexts;
  trouble: StoreTrouble;
  /** Called with each transaction of a write alone that is durable. */
  onCommit: ((writes: number, milliseconds: number) => void) | undefined;
  observer: DatabaseObserver | undefined;
}

/** A write that shares a transaction with others. */
export interface GroupedWrite {
  write: Write<unknown>;
  options: WriteOptions<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** How a write runs that has a transaction of its own. */
interface Alone<T> {
  /** What stands after `begin`. */
  how?: string;
  /** Sent at the begin of the transaction. */
  setting?: string;
  /** Returns what the write has returned when it is stored already; for a commit that is in doubt. */
  stored?: Write<T | undefined>;
  /** Whether the connection was lost while the write was being committed. */
  doubt?: boolean;
}

/** A write begins again after a conflict with another process; after a violated constraint to see what it did not see. */
const attemptsMax = { conflict: 30, constraint: 5, lost: 5 } as const;
/** How long a write that may be stored is tried to be told apart: a commit may wait for a standby that does not come back. */
const doubtMilliseconds = 30_000;

/** Runs writes as transactions, many as one or each alone, until they are durable or certainly refused. */
export class TransactionRunner {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Runs writes as one transaction. Returns those that are to be run again one by one; `doubt`: the connection was lost
   * when they were being committed.
   */
  async tryGroup(jobs: GroupedWrite[]): Promise<{ again: GroupedWrite[]; doubt: boolean }> {
    const lane = await this.#tools.lanes.take();
    const transaction = new Transaction(lane, this.#tools.texts, { group: true });
    const settle: (() => void)[] = [];
    let committing = false;
    try {
      transaction.begin("");
      await transaction.findKeys(jobs.flatMap(({ options }) => options.keys ?? []));
      for (const job of jobs) {
        transaction.changed = false;
        try {
          const value = await transaction.run(job.write);
          settle.push(() => job.resolve(value));
        } catch (error) {
          if (transaction.changed || !isRefusal(error)) throw error;
          settle.push(() => job.reject(error));
        }
      }
      committing = true;
      await transaction.commit();
    } catch (error) {
      await transaction.rollback().catch(() => {});
      const trouble = lane.lost === undefined ? troubleOf(error) : undefined;
      // What hinders one write hinders them all.
      if (trouble !== undefined) throw this.#asFailure(error);
      return { again: jobs, doubt: committing && lane.lost !== undefined };
    } finally {
      this.#tools.lanes.give(lane);
    }
    this.#tools.trouble.tell(undefined);
    for (const one of settle) one();
    return { again: [], doubt: false };
  }

  /** Runs a write as a transaction of its own, again and again while it loses races, and resolves once it is durable. */
  async runAlone<T>(write: Write<T>, { how = "", setting, stored: isStored, doubt = false }: Alone<T>): Promise<T> {
    const failures = { conflict: 0, constraint: 0, lost: 0 };
    let inDoubt = doubt;
    const started = performance.now();
    for (;;) {
      const lane = await this.#tools.lanes.take().catch((error: unknown) => {
        throw inDoubt ? this.#stillInDoubt(error) : error;
      });
      const transaction = new Transaction(lane, this.#tools.texts);
      let committing = false;
      try {
        transaction.begin(how);
        if (setting !== undefined) transaction.send(setting);
        if (inDoubt) {
          if (!isStored) throw new StoreUnavailable("the connection to the database was lost");
          const stored = await transaction.run(isStored);
          if (stored !== undefined) {
            // It may be visible here before the standbys have it.
            transaction.confirm();
            await transaction.commit();
            this.#tools.observer?.doubted("stored");
            return stored;
          }
        }
        const value = await transaction.run(write);
        committing = true;
        await transaction.commit();
        this.#tools.trouble.tell(undefined);
        if (inDoubt) this.#tools.observer?.doubted("not_stored");
        if (transaction.changed && setting === undefined) this.#tools.onCommit?.(1, performance.now() - started);
        return value;
      } catch (error) {
        await transaction.rollback().catch(() => {});
        if (lane.lost !== undefined && committing) inDoubt = true;
        const kind = lane.lost !== undefined ? "lost" : kindOf(error);
        const late = inDoubt && performance.now() - started > doubtMilliseconds;
        if (late || kind === undefined || ++failures[kind] >= attemptsMax[kind]) {
          const failure = this.#asFailure(error);
          throw inDoubt ? this.#stillInDoubt(failure) : failure;
        }
        this.#tools.observer?.reran(kind);
      } finally {
        this.#tools.lanes.give(lane);
      }
      // At random, so that two writes that stood in each other's way do not meet again.
      await Bun.sleep(Math.random() * 5 * (failures.conflict + failures.constraint + 10 * failures.lost));
    }
  }

  #stillInDoubt(failure: unknown): CommitInDoubt {
    this.#tools.observer?.doubted("unknown");
    const reason = failure instanceof StoreUnavailable ? failure.message : "a lost commit could not be found out about";
    return new CommitInDoubt(reason, { cause: failure });
  }

  #asFailure(error: unknown): unknown {
    if (error instanceof StoreUnavailable) return error;
    const trouble = troubleOf(error);
    if (trouble === undefined)
      return isConflict(error) || error instanceof Raced
        ? new StoreUnavailable("too many writes meet", { cause: error })
        : error;
    this.#tools.trouble.tell(trouble);
    return new StoreUnavailable(trouble, { cause: error });
  }
}

function kindOf(error: unknown): "conflict" | "constraint" | undefined {
  if (isConflict(error) || error instanceof Raced) return "conflict";
  return isConstraint(error) ? "constraint" : undefined;
}

/** Whether the write itself refused, in contrast to a statement or connection that failed. */
function isRefusal(error: unknown): boolean {
  return (
    !(error instanceof Bun.SQL.SQLError) &&
    !(error instanceof StoreUnavailable) &&
    !isConnectionLost(error) &&
    !(error instanceof Raced)
  );
}
