import {
  CommitInDoubt,
  type KeyAnswer,
  Raced,
  type Row,
  type Sql,
  type Store,
  StoreUnavailable,
  type Value,
  type Write,
  type WriteOptions,
} from "../../core/store.ts";
import { DerivedWrites } from "../derived-writes.ts";
import { MigrationRefused } from "../migrate.ts";
import { isConflict, isConnectionLost, isConstraint, troubleOf } from "./errors.ts";
import { KeyLookups } from "./find-keys.ts";
import { Lane, type LaneOptions, type Parameter, type Patience } from "./lane.ts";
import { Lanes } from "./lanes.ts";
import { type Column, type Columns, MergeableTexts } from "./merge-inserts.ts";
import type { DatabaseObserver, LaneCounts } from "./observer.ts";
import { SharedLanes } from "./shared-lanes.ts";
import { StoreTrouble } from "./store-trouble.ts";
import { Transaction, textOf } from "./transaction.ts";

interface PostgresOptions {
  connection: LaneOptions;
  /** How many connections this process may hold, at least 4. */
  connections: number;
  patience?: Patience;
  onCommit?: (writes: number, milliseconds: number) => void;
  /** Called with the reason when nothing can be committed, and with undefined when writes work again. */
  onTrouble?: (reason: string | undefined) => void;
  observer?: DatabaseObserver;
  /** Called when the server gives out no more connections, and those that are open have to do. */
  onFewer?: () => void;
}

interface Job {
  write: Write<unknown>;
  options: WriteOptions<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

interface ColumnRow {
  table_name: string;
  column_name: string;
  type: string;
  is_unique: boolean;
}

interface Alone<T> {
  /** What stands after `begin`. */
  how?: string;
  setting?: string;
  stored?: Write<T | undefined>;
  doubt?: boolean;
}

/**
 * In writes. A group begins with fewer than the least when no other is under way. Two of the usual size, side by side,
 * take less time than one of twice that size: the database works for one while this process prepares the other.
 */
const [groupMin, groupUsual, groupMax] = [16, 32, 64];
const queueMax = 20_000;
/** What a start opens at once: each connection costs both sides some milliseconds of processor time. */
const warmed = { readers: 2, writers: 4 } as const;
const lookMilliseconds = 250;
/** The share of the time that derived writes take at most while others come: the database works for both at once. */
const derivedShare = 0.1;
/** After a derived write that took very long, the next one waits so long at most. */
const restMilliseconds = 2_000;
/** A write begins again after a conflict with another process; after a violated constraint to see what it did not see. */
const attemptsMax = { conflict: 30, constraint: 5, lost: 5 } as const;
/** How long a write that may be stored is tried to be told apart: a commit may wait for a standby that does not come back. */
const doubtMilliseconds = 30_000;
/** In reads, of a connection that is lost while it is asked. */
const readAttemptsMax = 3;

/**
 * The store on PostgreSQL, which many processes share. Writes of which there are many share a transaction with those
 * that wait beside them; any other is a transaction of its own. What lost a race against another process runs again.
 */
export class PostgresStore implements Store {
  readonly engine = "postgres";
  readonly #options: PostgresOptions;
  readonly #writers: Lanes;
  readonly #writersMax: number;
  readonly #readers: SharedLanes;
  readonly #texts: MergeableTexts;
  readonly #trouble: StoreTrouble;
  readonly #lookups = new KeyLookups((sql, params) => this.query(sql, params));
  readonly #looking: ReturnType<typeof setInterval>;
  readonly #underWay = new Set<Promise<unknown>>();
  /** Writes that will share a transaction. */
  #waiting: Job[] = [];
  /** Groups under way. */
  #groups = 0;
  #scheduled = false;
  /** Writes that run as if alone take turns: side by side those of one process would make each other begin again. */
  #alone: Promise<unknown> = Promise.resolve();
  readonly #derived = new DerivedWrites(() => this.#writing > 0 || this.#deriving, "storage is too slow");
  /** Writes that are not derived, waiting or under way. */
  #writing = 0;
  #deriving = false;
  /** What the last derived write took. */
  #derivedMilliseconds = 0;
  #closing = false;

  private constructor(options: PostgresOptions, columns: Columns) {
    this.#options = options;
    this.#trouble = new StoreTrouble((write) => this.#runAlone(write, {}), options.onTrouble);
    const open = () => Lane.open(options.connection, options.patience);
    const readers = Math.max(1, Math.floor(options.connections / 4));
    this.#readers = new SharedLanes(readers, open, options.onFewer);
    this.#writersMax = options.connections - readers;
    this.#writers = new Lanes({
      size: this.#writersMax,
      open,
      onOpened: (trouble) => this.#trouble.tell(trouble),
      onFewer: () => options.onFewer?.(),
    });
    this.#texts = new MergeableTexts(columns);
    this.#looking = setInterval(() => this.#look(performance.now()), lookMilliseconds);
    this.#looking.unref();
  }

  static async open(options: PostgresOptions): Promise<PostgresStore> {
    const lane = await Lane.open(options.connection);
    try {
      await requireDurableCommits(lane);
      const { rows } = await lane.query(
        `select c.relname as table_name, a.attname as column_name, format_type(a.atttypid, null) as type,
           exists (select 1 from pg_index i
                   where i.indrelid = c.oid and i.indisunique and a.attnum = any(i.indkey)) as is_unique
         from pg_attribute a join pg_class c on c.oid = a.attrelid
         where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0
           and not a.attisdropped and a.attgenerated = ''`,
      );
      const columns = new Map<string, Map<string, Column>>();
      for (const { table_name, column_name, type, is_unique } of rows as unknown as ColumnRow[]) {
        const table = columns.get(table_name) ?? new Map<string, Column>();
        columns.set(table_name, table.set(column_name, { type, isUnique: is_unique }));
      }
      return new PostgresStore(options, columns);
    } finally {
      lane.close();
    }
  }

  all<R extends Row>(sql: Sql, params: readonly Value[] = []): Promise<R[]> {
    return this.query(textOf(sql), params.map(findable)) as Promise<R[]>;
  }

  /**
   * Runs one statement as a transaction of its own. It runs again when its connection is lost, unless `once`: the first
   * time may have been stored.
   */
  async query(sql: string, params: readonly Parameter[], { once = false } = {}): Promise<Row[]> {
    for (let attempt = 1; ; attempt++) {
      const lane = await this.#readers.next();
      try {
        return (await lane.query(sql, params)).rows;
      } catch (error) {
        if (isConnectionLost(error) && !once && attempt < readAttemptsMax) {
          this.#options.observer?.readAgain();
          continue;
        }
        const trouble = troubleOf(error);
        throw trouble === undefined ? error : new StoreUnavailable(trouble, { cause: error });
      }
    }
  }

  async one<R extends Row>(sql: Sql, params: readonly Value[] = []): Promise<R | undefined> {
    return (await this.all<R>(sql, params))[0];
  }

  sharedOne<R extends Row>(sql: Sql, params: readonly Value[]): Promise<R | undefined> {
    return this.#readers.shared(`${textOf(sql)} ${params.join(" ")}`, () => this.one<R>(sql, params));
  }

  sharedAll<R extends Row>(sql: Sql, params: readonly Value[] = []): Promise<readonly R[]> {
    return this.#readers.shared(`all ${textOf(sql)} ${params.join(" ")}`, () => this.all<R>(sql, params));
  }

  async findKey(binding: Uint8Array): Promise<KeyAnswer | undefined> {
    const { answer, ahead } = await this.#lookups.find(binding);
    if (answer === undefined || !ahead) return answer;
    // A commit whose connection was lost while it waited for a standby is visible all the same: the answer waits too.
    return this.write((tx) => tx.findKey(binding), { isolation: "group", keys: [binding] });
  }

  write<T>(write: Write<T>, options: WriteOptions<T> = {}): Promise<T> {
    if (this.#closing) return Promise.reject(new StoreUnavailable("shutting down"));
    if (this.#waiting.length >= queueMax) return Promise.reject(new StoreUnavailable("too many writes are waiting"));
    return this.#track(this.#counted(this.#writeAs(write, options)));
  }

  #writeAs<T>(write: Write<T>, options: WriteOptions<T>): Promise<T> {
    if (options.isolation === "group") return this.#writeInGroup(write, options);
    if (options.isolation === "locks") return this.#runAlone(write, options);
    const done = this.#alone.then(() => this.#runAlone(write, { how: "isolation level serializable", ...options }));
    this.#alone = done.catch(() => {});
    return done;
  }

  #writeInGroup<T>(write: Write<T>, options: WriteOptions<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ write, options, resolve, reject } as unknown as Job);
      this.#schedule();
    });
  }

  /** Lets derived writes give way. */
  #counted<T>(writing: Promise<T>): Promise<T> {
    this.#writing++;
    this.#derived.wrote();
    return writing.finally(() => {
      this.#writing--;
      this.#derived.wrote();
    });
  }

  writeDerived<T>(write: Write<T>, { within }: { within: number }): Promise<{ value: T; milliseconds: number }> {
    if (this.#closing) return Promise.reject(new StoreUnavailable("shutting down"));
    return new Promise((resolve, reject) => {
      const run = () => this.#beginDerived(write, resolve, reject);
      const rest = Math.min(this.#derivedMilliseconds / derivedShare, restMilliseconds);
      this.#derived.add({ run, reject, by: performance.now() + Math.max(within, rest) });
    });
  }

  /** False while another one is under way. */
  #beginDerived<T>(
    write: Write<T>,
    resolve: (done: { value: T; milliseconds: number }) => void,
    reject: (error: unknown) => void,
  ): boolean {
    if (this.#deriving) return false;
    this.#deriving = true;
    const started = performance.now();
    const done = this.#runAlone(write, { setting: "set local synchronous_commit = off" }).finally(() => {
      this.#deriving = false;
      this.#derivedMilliseconds = performance.now() - started;
    });
    this.#track(done).then((value) => {
      // Most of the time went by on the way to the database and back, and held up nobody.
      resolve({ value, milliseconds: (performance.now() - started) / 40 });
    }, reject);
    return true;
  }

  trouble(): string | undefined {
    return this.#trouble.reason;
  }

  /**
   * Opens connections that the first requests would wait for. Reads have theirs first: were there too few, writes could
   * take them all.
   */
  async warm(): Promise<void> {
    await this.#readers.warm(warmed.readers);
    await this.#writers.warm(warmed.writers);
  }

  /** Lanes by what they are for. */
  lanes(): Record<"write" | "read", LaneCounts> {
    return { write: this.#writers.counts(), read: this.#readers.counts() };
  }

  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    for (const job of this.#derived.takeAll()) {
      while (!job.run()) await Promise.allSettled([...this.#underWay]);
    }
    while (this.#underWay.size > 0) await Promise.allSettled([...this.#underWay]);
    clearInterval(this.#looking);
    this.#writers.close();
    this.#readers.close();
  }

  #look(now: number) {
    this.#writers.look(now);
    this.#readers.look(now);
    if (!this.#closing) this.#trouble.probe();
  }

  #track<T>(promise: Promise<T>): Promise<T> {
    this.#underWay.add(promise);
    const ended = () => this.#underWay.delete(promise);
    promise.then(ended, ended);
    return promise;
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
    const underWay = this.#groups;
    return underWay === 0 || (underWay < groupsMax && this.#waiting.length >= underWay * groupMin);
  }

  /** Larger than usual where there are not enough connections for all that waits. */
  #groupSize(): number {
    const connections = Math.max(1, Math.min(groupsMax, this.#writersMax) - this.#groups);
    return Math.min(groupMax, Math.max(groupUsual, Math.ceil(this.#waiting.length / connections)));
  }

  async #runGroup(jobs: Job[]): Promise<void> {
    const started = performance.now();
    this.#groups++;
    let failed: { again: Job[]; doubt: boolean };
    try {
      failed = await this.#tryGroup(jobs);
      if (failed.again.length === 0) this.#options.onCommit?.(jobs.length, performance.now() - started);
    } catch (error) {
      for (const { reject } of jobs) reject(error);
      return;
    } finally {
      this.#groups--;
      if (this.#waiting.length > 0) this.#schedule();
    }
    for (const _ of failed.again) this.#options.observer?.reran("shared");
    // Each alone: what made the group fail concerns one of them.
    await Promise.all(
      failed.again.map(({ write, options, resolve, reject }) =>
        this.#runAlone(write, { doubt: failed.doubt, ...options }).then(resolve, reject),
      ),
    );
  }

  /**
   * Runs writes as one transaction. Returns those that are to be run again one by one; `doubt`: the connection was lost
   * when they were being committed.
   */
  async #tryGroup(jobs: Job[]): Promise<{ again: Job[]; doubt: boolean }> {
    const lane = await this.#writers.take();
    const transaction = new Transaction(lane, this.#texts, { group: true });
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
      this.#writers.give(lane);
    }
    this.#trouble.tell(undefined);
    for (const one of settle) one();
    return { again: [], doubt: false };
  }

  /** Runs a write as a transaction of its own, again and again while it loses races, and resolves once it is durable. */
  async #runAlone<T>(write: Write<T>, { how = "", setting, stored: isStored, doubt = false }: Alone<T>): Promise<T> {
    const failures = { conflict: 0, constraint: 0, lost: 0 };
    let inDoubt = doubt;
    const started = performance.now();
    for (;;) {
      const lane = await this.#writers.take().catch((error: unknown) => {
        throw inDoubt ? this.#stillInDoubt(error) : error;
      });
      const transaction = new Transaction(lane, this.#texts);
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
            this.#options.observer?.doubted("stored");
            return stored;
          }
        }
        const value = await transaction.run(write);
        committing = true;
        await transaction.commit();
        this.#trouble.tell(undefined);
        if (inDoubt) this.#options.observer?.doubted("not_stored");
        if (transaction.changed && setting === undefined) this.#options.onCommit?.(1, performance.now() - started);
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
        this.#options.observer?.reran(kind);
      } finally {
        this.#writers.give(lane);
      }
      // At random, so that two writes that stood in each other's way do not meet again.
      await Bun.sleep(Math.random() * 5 * (failures.conflict + failures.constraint + 10 * failures.lost));
    }
  }

  #stillInDoubt(failure: unknown): CommitInDoubt {
    this.#options.observer?.doubted("unknown");
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
    this.#trouble.tell(trouble);
    return new StoreUnavailable(trouble, { cause: error });
  }
}

/** How many groups are under way at most. */
const groupsMax = 8;

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

function byOrder({ options: { order: one = "" } }: Job, { options: { order: other = "" } }: Job): number {
  return one < other ? -1 : Number(one > other);
}

/** With a lower setting the server acknowledges a commit that a crash of it takes back. */
async function requireDurableCommits(lane: Lane) {
  const [row] = (await lane.query("select current_setting('synchronous_commit') as value")).rows;
  if (row?.["value"] !== "off" && row?.["value"] !== "local") return;
  throw new MigrationRefused(
    `synchronous_commit is ${row["value"]} for this user, so what the database says is stored may be lost. Run: alter role … set synchronous_commit = on`,
  );
}

/** PostgreSQL refuses U+0000, which no stored text has: whoever looks for one finds nothing. */
function findable(value: Value): Value {
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\u{10ffff}") : value;
}
