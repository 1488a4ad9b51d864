import type { Database } from "bun:sqlite";
import {
  type Action,
  type BoundKey,
  type KeyAnswer,
  type Row,
  type Sql,
  type Step,
  statements,
  type Tx,
  type Value,
  type Write,
} from "../core/store.ts";
import { HeldStatements } from "./held-statements.ts";
import { IdempotencyKeys } from "./idempotency-keys.ts";
import { openDatabase } from "./open-database.ts";
import { recordText } from "./record-texts.ts";
import { SharedReads } from "./shared-reads.ts";
import { codeOf, isOwnFault } from "./sqlite-errors.ts";
import { type KeptStatement, timed } from "./statement-times.ts";

/**
 * The connection that writes: runs the generators of writes within transactions, and keeps what it knows of the
 * database (shared reads, idempotency keys) true through commits, rollbacks and the commits of other processes. Nothing
 * of it waits, so between two calls of one turn of the event loop nobody else uses the connection.
 */
export class Writer {
  readonly db: Database;
  readonly keys: IdempotencyKeys;
  readonly #statements: HeldStatements;
  readonly #shared: SharedReads;
  readonly #tx: Tx;
  readonly #control: Record<"begin" | "commit" | "savepoint" | "release" | "rollbackTo", KeptStatement>;
  readonly #dataVersion: KeptStatement;
  /** Whether the last write that was run has executed anything but a query. */
  changed = false;

  constructor(path: string, options: { busyMs: number; autocheckpoint: number }) {
    this.db = openDatabase(path, options);
    this.#statements = new HeldStatements(this.db);
    this.#control = {
      begin: this.#prepared("begin immediate"),
      commit: this.#prepared("commit"),
      savepoint: this.#prepared("savepoint one_write"),
      release: this.#prepared("release one_write"),
      rollbackTo: this.#prepared("rollback to one_write"),
    };
    this.#dataVersion = this.#prepared("pragma data_version");
    this.#shared = new SharedReads(this.db, () => this.outsideVersion());
    this.keys = new IdempotencyKeys(this.#statements);
    this.#tx = {
      engine: "sqlite",
      ...statements,
      ...this.#keySteps(),
      shared: (key, read) => this.#sharedStep(key, read),
      // This process writes alone while the transaction lasts.
      *lock() {},
    };
  }

  #prepared(sql: string): KeptStatement {
    return timed(this.db.prepare(sql), sql);
  }

  /** A number that changes when another connection, such as that of a command beside the server, has committed. */
  outsideVersion(): number {
    const [row] = this.#dataVersion.all() as { data_version: number }[];
    return row?.data_version ?? 0;
  }

  begin() {
    this.#control.begin.all();
    this.#learn();
  }

  commit() {
    this.#control.commit.all();
    this.keys.committed();
  }

  /** To be called after a failed statement too: SQLite may have ended the transaction itself. */
  rollback() {
    this.#shared.drop();
    this.keys.rolledBack();
    if (this.db.inTransaction) this.db.run("rollback");
  }

  /**
   * What `work` commits has no sync of its own: the next commit after it syncs it too, and nothing that was synced
   * depends on it. After a power failure the log is read up to the first page that is not whole, which takes the newest
   * of such transactions, never part of one.
   */
  unsynced<T>(work: () => T): T {
    this.db.run("pragma synchronous = normal");
    try {
      return work();
    } catch (error) {
      // Within a transaction SQLite would not go back to full.
      this.rollback();
      throw error;
    } finally {
      this.db.run("pragma synchronous = full");
    }
  }

  /** Runs a write to its end, within the transaction. */
  run<T>(write: Write<T>): T {
    this.changed = false;
    const steps = write(this.#tx);
    let step = steps.next();
    while (!step.done) {
      let rows: Row[];
      try {
        rows = this.#execute(step.value);
      } catch (error) {
        // Not `throw()`: the generator must have no way to go on after a failed statement.
        steps.return(undefined as T);
        throw error;
      }
      step = steps.next(rows);
    }
    return step.value;
  }

  /** As {@link run}; a write that throws leaves nothing behind, as long as the transaction lives. */
  runInSavepoint<T>(write: Write<T>): T {
    this.#control.savepoint.all();
    const keys = this.keys.added;
    try {
      const value = this.run(write);
      this.#control.release.all();
      return value;
    } catch (error) {
      this.requireOwnFault(error);
      this.#control.rollbackTo.all();
      this.#shared.drop();
      this.keys.rolledBack(keys);
      this.#control.release.all();
      throw error;
    }
  }

  /**
   * A refusal by the write itself, a constraint that the write violates, or a statement that SQLite does not understand
   * (such as one about a table that is not there) concerns that write alone. Throws any other error: it ends the whole
   * transaction.
   */
  requireOwnFault(error: unknown) {
    // A full disk ends the whole transaction without an error of its own: what runs afterwards would commit by itself.
    if (!isOwnFault(codeOf(error)) || !this.db.inTransaction) throw error;
  }

  /** See {@link Store.sharedOne}. To be called between two transactions. */
  sharedOne<R extends Row>(sql: Sql, params: readonly Value[]): R | undefined {
    return this.#sharedRead(sql, params, (rows) => rows[0] as R | undefined);
  }

  /** See {@link Store.sharedAll}. To be called between two transactions. */
  sharedAll<R extends Row>(sql: Sql, params: readonly Value[]): readonly R[] {
    return this.#sharedRead(sql, params, (rows) => rows as R[]);
  }

  #sharedRead<T>(text: Sql, params: readonly Value[], read: (rows: Row[]) => T): T {
    this.#shared.lookOnceATurn();
    const sql = textOf(text);
    const key = params.length === 0 ? sql : `${sql} ${params.join(" ")}`;
    const kept = this.#shared.get(key);
    if (kept !== undefined) return kept as T;
    let value: T | undefined;
    this.#shared.begin();
    try {
      this.#shared.queried(sql);
      value = read(this.#statements.all(sql, params));
    } finally {
      this.#shared.end(key, value);
    }
    return value as T;
  }

  /** To be called between two transactions. */
  findKey(binding: Uint8Array): KeyAnswer | undefined {
    this.#learn();
    return this.keys.find(binding)[0];
  }

  close() {
    for (const statement of [...Object.values(this.#control), this.#dataVersion]) statement.finalize();
    this.#statements.finalize();
    this.db.close();
  }

  /** Learns what other processes have committed. */
  #learn() {
    this.keys.begun(this.#shared.look());
  }

  #execute(action: Action): Row[] {
    if (typeof action === "function") return action() as Row[];
    const { params } = action;
    const sql = textOf(action.sql);
    if (sql.startsWith("select")) this.#shared.queried(sql);
    else {
      this.changed = true;
      this.#shared.changed(sql);
    }
    return this.#statements.all(sql, params);
  }

  *#sharedStep<T>(key: string, read: (tx: Tx) => Step<T>): Step<T> {
    const kept = this.#shared.get(key);
    if (kept !== undefined) return kept as T;
    let value: T | undefined;
    this.#shared.begin();
    try {
      value = yield* read(this.#tx);
    } finally {
      this.#shared.end(key, value);
    }
    return value;
  }

  #keySteps(): Pick<Tx, "findKey" | "bindKey"> {
    const { keys } = this;
    const bind = (key: BoundKey) => {
      this.changed = true;
      keys.bind(key);
      return [];
    };
    return {
      *findKey(binding) {
        return (yield () => keys.find(binding))[0] as KeyAnswer | undefined;
      },
      *bindKey(key) {
        yield () => bind(key);
      },
    };
  }
}

/** The text of a statement for SQLite. */
export function textOf(sql: Sql): string {
  recordText?.(sql);
  return typeof sql === "string" ? sql : sql.sqlite;
}
