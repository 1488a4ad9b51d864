import type { Database } from "bun:sqlite";
import {
  type KeyAnswer,
  type Row,
  type Sql,
  type Store,
  StoreUnavailable,
  type Value,
  type Write,
} from "../core/store.ts";
import { DerivedWrites } from "./derived-writes.ts";
import { Health, type HealthOptions } from "./health.ts";
import { HeldStatements } from "./held-statements.ts";
import type { IdempotencyKeys } from "./idempotency-keys.ts";
import type { KeepLog, LogEvent } from "./log-events.ts";
import { openDatabase } from "./open-database.ts";
import { Checkpointer } from "./schedule-checkpoints.ts";
import { codeOf, diskFull, isFatal, troubleOf } from "./sqlite-errors.ts";
import { textOf, Writer } from "./writer.ts";

interface SqliteOptions extends HealthOptions {
  /**
   * How long a statement blocks this thread to wait for another process's lock, in milliseconds; in a server until
   * {@link SqliteStore.started}, see `#beginBatch`.
   */
  busyMs: number;
  /**
   * Copies the log into the database on a thread of its own, for a server; without it SQLite does so within commits.
   */
  checkpoints?: boolean;
  onCommit?: (writes: number, milliseconds: number) => void;
  /** Called with what becomes of the log that {@link SqliteStore.keepLog} keeps. */
  onLog?: ((event: LogEvent) => void) | undefined;
}

interface Job {
  write: Write<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

const batchMax = 256;
const batchMilliseconds = 4;
const queueMax = 20_000;
const lockedMilliseconds = 2_000;
const lockedRetryMilliseconds = 5;

/**
 * One writer connection with group commit, one read-only connection for everything else.
 *
 * All writes of one turn of the event loop share a transaction, each run to its end before the next begins: one fsync
 * for all of them, and no write ever sees half of another. A write that is refused before it changed anything costs
 * the others nothing. One that is refused later makes the group run once more from the start, each write in a
 * savepoint of its own: savepoints copy every page they touch, and few groups need them.
 */
export class SqliteStore implements Store {
  readonly engine = "sqlite";
  readonly #writer: Writer;
  readonly #reader: Database;
  readonly #reading: HeldStatements;
  readonly #options: SqliteOptions;
  readonly #checkpointer: Checkpointer | undefined;
  readonly #health: Health;
  readonly #derived = new DerivedWrites(
    () => this.#queue.length > 0 || this.#checkpointer?.paused === true,
    troubleOf("SQLITE_BUSY"),
  );
  #queue: Job[] = [];
  #scheduled = false;
  #closing = false;
  #lockedSince: number | undefined;
  #stopping = false;

  constructor(path: string, options: SqliteOptions) {
    this.#options = options;
    this.#health = new Health(options, {
      giveWay: () => this.#giveWay(),
      probe: () => this.write(function* () {}),
    });
    // Without a thread for it, SQLite copies the log back every 4 MiB, within a commit.
    this.#writer = new Writer(path, { busyMs: options.busyMs, autocheckpoint: options.checkpoints ? 0 : 1_000 });
    this.#reader = openDatabase(path, { readonly: true, busyMs: options.busyMs });
    this.#reading = new HeldStatements(this.#reader);
    if (options.checkpoints) {
      this.#checkpointer = new Checkpointer(this.#writer.db, path, options.ballast?.bytes ?? Number.POSITIVE_INFINITY, {
        onResume: () => this.#schedule(),
        onFailed: (code, again) => this.#health.passFailed(code, again),
        onLog: options.onLog,
      });
    }
  }

  get idempotencyKeys(): IdempotencyKeys {
    return this.#writer.keys;
  }

  async all<R extends Row>(sql: Sql, params: readonly Value[] = []): Promise<R[]> {
    try {
      return this.#reading.all(textOf(sql), params) as R[];
    } catch (error) {
      throw this.#readFailed(error);
    }
  }

  async one<R extends Row>(sql: Sql, params: readonly Value[] = []): Promise<R | undefined> {
    return (await this.all<R>(sql, params))[0];
  }

  sharedOne<R extends Row>(sql: Sql, params: readonly Value[]): R | Promise<R | undefined> {
    try {
      return this.#writer.sharedOne<R>(sql, params) ?? Promise.resolve(undefined);
    } catch (error) {
      return Promise.reject(this.#readFailed(error));
    }
  }

  sharedAll<R extends Row>(sql: Sql, params: readonly Value[] = []): readonly R[] | Promise<readonly R[]> {
    try {
      return this.#writer.sharedAll<R>(sql, params);
    } catch (error) {
      return Promise.reject(this.#readFailed(error));
    }
  }

  async findKey(binding: Uint8Array): Promise<KeyAnswer | undefined> {
    try {
      return this.#writer.findKey(binding);
    } catch (error) {
      throw this.#readFailed(error);
    }
  }

  #readFailed(error: unknown): unknown {
    const code = codeOf(error);
    if (isFatal(code)) this.#health.end(error);
    return /^SQLITE_(BUSY|IOERR|CORRUPT|NOTADB)/.test(code)
      ? new StoreUnavailable(troubleOf(code), { cause: error })
      : error;
  }

  write<T>(write: Write<T>): Promise<T> {
    const refused = this.#refusesWrites();
    if (refused !== undefined) return Promise.reject(new StoreUnavailable(refused));
    this.#derived.wrote();
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ write, resolve: resolve as Job["resolve"], reject });
      this.#schedule();
    });
  }

  writeDerived<T>(write: Write<T>, { within }: { within: number }): Promise<{ value: T; milliseconds: number }> {
    const refused = this.#refusesWrites();
    if (refused !== undefined) return Promise.reject(new StoreUnavailable(refused));
    return new Promise((resolve, reject) => {
      const run = () => this.#runDerived(write, resolve, reject);
      this.#derived.add({ run, reject, by: performance.now() + within });
    });
  }

  #refusesWrites(): string | undefined {
    if (this.#closing) return "shutting down";
    if (this.#health.dead) return "storage failed";
    if (this.#health.full) return diskFull;
    return this.#queue.length >= queueMax ? "too many writes are waiting" : undefined;
  }

  /** False when the database is locked: the job waits. */
  #runDerived<T>(
    write: Write<T>,
    resolve: (done: { value: T; milliseconds: number }) => void,
    reject: (error: unknown) => void,
  ): boolean {
    if (this.#checkpointer?.paused || this.#health.dead) return false;
    const started = performance.now();
    try {
      const done = this.#writer.unsynced(() => this.#runAlone(write));
      if (done === "locked") {
        if (!this.#stopping || this.#waitsOn(started)) return false;
        reject(new StoreUnavailable(troubleOf("SQLITE_BUSY")));
        return true;
      }
      this.#lockedSince = undefined;
      if ("refused" in done) reject(done.refused);
      else {
        this.#health.committed();
        this.#checkpointer?.committed();
        resolve({ value: done.value, milliseconds: performance.now() - started });
      }
    } catch (error) {
      this.#batchFailed(error, [{ write, resolve: () => {}, reject }]);
    }
    return true;
  }

  #runAlone<T>(write: Write<T>): "locked" | { value: T } | { refused: unknown } {
    try {
      this.#writer.begin();
    } catch (error) {
      if (codeOf(error).startsWith("SQLITE_BUSY")) return "locked";
      throw error;
    }
    let value: T;
    try {
      value = this.#writer.run(write);
    } catch (error) {
      this.#writer.requireOwnFault(error);
      this.#writer.rollback();
      return { refused: error };
    }
    this.#writer.commit();
    return { value };
  }

  trouble(): string | undefined {
    return this.#health.trouble;
  }

  /** A number that changes when another connection, such as that of a command beside the server, has committed. */
  outsideVersion(): number {
    return this.#closing ? 0 : this.#writer.outsideVersion();
  }

  /**
   * To be called from time to time: makes the ballast again that a command has given up, or reports that there is no
   * room.
   */
  keepBallast(): Promise<void> {
    return this.#closing ? Promise.resolve() : this.#health.keepBallast();
  }

  /** To be called once a server takes requests: no statement blocks the thread any more to wait for a lock. */
  started() {
    for (const db of [this.#writer.db, this.#reader]) db.run("pragma busy_timeout = 0");
  }

  /** To be called before a stop: once a write has waited for another process's lock in vain, the others wait no more. */
  stopping() {
    this.#stopping = true;
  }

  /** Bytes in the write-ahead log that are in use; for metrics. */
  logBytes(): number {
    return this.#checkpointer?.logBytes() ?? 0;
  }

  /** Keeps the write-ahead log for backups, or no longer: see {@link Checkpointer.keepLog}. */
  keepLog(options: KeepLog | undefined) {
    this.#checkpointer?.keepLog(options);
  }

  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    this.#health.stop();
    // The log that is kept has to end with the last commit; otherwise the thread would only delay what waits.
    if (this.#checkpointer?.keepsLog) await this.#drain();
    await this.#checkpointer?.close();
    await this.#drain();
    this.#reading.finalize();
    // The last connection to close copies the log into the database and removes it.
    this.#reader.close();
    this.#writer.close();
  }

  async #drain(): Promise<void> {
    for (const job of this.#derived.takeAll()) if (!job.run()) job.reject(new StoreUnavailable("shutting down"));
    while (this.#queue.length > 0 && !this.#health.dead) {
      this.#flush();
      if (this.#queue.length > 0) await Bun.sleep(lockedRetryMilliseconds);
    }
  }

  #schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#gather(0);
  }

  /**
   * Flushes after the first turn of the event loop that brings no further write, so that groups are fewer and larger.
   */
  #gather(seen: number) {
    setImmediate(() => {
      const waiting = this.#queue.length;
      if (waiting > seen && waiting < batchMax) return this.#gather(waiting);
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush() {
    if (this.#queue.length === 0 || this.#checkpointer?.paused || this.#health.dead) return;
    const started = performance.now();
    if (!this.#beginBatch(started)) return;

    const jobs: Job[] = [];
    let settle: (() => void)[];
    try {
      const plain = this.#runPlain(jobs, started);
      if (!plain) {
        this.#writer.rollback();
        // Another process may have taken the lock in between; the jobs are still in the queue.
        if (!this.#beginBatch(started)) return;
      }
      settle = plain ?? this.#runCareful(jobs);
      this.#writer.commit();
    } catch (error) {
      this.#queue.splice(0, jobs.length);
      this.#batchFailed(error, jobs);
      return;
    }
    this.#queue.splice(0, jobs.length);
    this.#derived.wrote();
    this.#health.committed();
    this.#options.onCommit?.(jobs.length, performance.now() - started);
    this.#checkpointer?.committed();
    if (this.#queue.length > 0) this.#schedule();
    for (const one of settle) one();
  }

  /**
   * Waits for another process's lock by timer, because the waiting of SQLite itself would block every request of this
   * process.
   */
  #beginBatch(now: number): boolean {
    try {
      this.#writer.begin();
      this.#lockedSince = undefined;
      return true;
    } catch (error) {
      if (codeOf(error).startsWith("SQLITE_BUSY") && this.#waitsOn(now)) {
        setTimeout(() => this.#schedule(), lockedRetryMilliseconds);
        return false;
      }
      if (!this.#stopping) this.#lockedSince = undefined;
      this.#batchFailed(error, this.#queue.splice(0));
      return false;
    }
  }

  /** Whether to wait for the lock of another process still, which was found at this time. */
  #waitsOn(now: number): boolean {
    this.#lockedSince ??= now;
    return now - this.#lockedSince < lockedMilliseconds;
  }

  /**
   * Takes writes from the queue and runs them. Returns the function that settles their promises, to be called after
   * COMMIT only; undefined when a refused write has left changes behind, so that nothing of this run may stay.
   */
  #runPlain(jobs: Job[], started: number): (() => void)[] | undefined {
    const settle: (() => void)[] = [];
    for (const job of this.#queue) {
      if (jobs.length === batchMax || (jobs.length > 0 && performance.now() - started > batchMilliseconds)) break;
      jobs.push(job);
      try {
        const value = this.#writer.run(job.write);
        settle.push(() => job.resolve(value));
      } catch (error) {
        this.#writer.requireOwnFault(error);
        if (this.#writer.changed) return undefined;
        settle.push(() => job.reject(error));
      }
    }
    return settle;
  }

  #runCareful(jobs: readonly Job[]): (() => void)[] {
    return jobs.map((job) => {
      try {
        const value = this.#writer.runInSavepoint(job.write);
        return () => job.resolve(value);
      } catch (error) {
        this.#writer.requireOwnFault(error);
        return () => job.reject(error);
      }
    });
  }

  #batchFailed(error: unknown, jobs: Job[]) {
    try {
      this.#writer.rollback();
    } catch (rollbackError) {
      this.#health.end(rollbackError);
    }
    const trouble = this.#health.groupFailed(error);
    // Nobody knows whether these writes are on the disk, so they get no answer at all.
    if (this.#health.dead) return;
    for (const job of jobs) job.reject(new StoreUnavailable(trouble, { cause: error }));
    if (this.#queue.length > 0) this.#schedule();
  }

  /** Called on a full disk: refuses the waiting writes, which would use up the room for deletes and checkpoints. */
  #giveWay() {
    for (const job of [...this.#queue.splice(0), ...this.#derived.takeAll()]) {
      job.reject(new StoreUnavailable(diskFull));
    }
    this.#checkpointer?.giveUpLog();
    try {
      this.#writer.db.run("pragma wal_checkpoint(truncate)");
    } catch (error) {
      // There is no room for a checkpoint: deletes can use what the ballast left. Any other error is handled as always.
      if (isFatal(codeOf(error))) this.#health.end(error);
    }
  }
}
