import type { Database } from "bun:sqlite";
import { type StatementTables, tablesOfStatement } from "./tables-of-statement.ts";

/** Some values for each token and key in use, and for the places of their tickets. At one more, all are dropped. */
const valuesMax = 2_000;

/**
 * Values that nearly every request reads again: a token, the first column of a board. A value is kept until anything is
 * changed in one of the tables that it was read from, by whomever: the code of each statement of this connection says
 * which tables it changes, and a commit of another process drops all values. So a kept value is what reading it again
 * would give, as of this turn of the event loop.
 */
export class SharedReads {
  readonly #db: Database;
  /** `pragma data_version`: differs once another connection has committed. */
  readonly #outsideVersion: () => number;
  readonly #values = new Map<string, unknown>();
  /** The keys of the values that were read from each table. A value may be gone already, with another of its tables. */
  readonly #keysOf = new Map<string, Set<string>>();
  readonly #tablesOf = new Map<string, StatementTables>();
  /** The statements of the read that runs. */
  #statements: string[] | undefined;
  #version = -1;
  #looked = false;

  constructor(db: Database, outsideVersion: () => number) {
    this.#db = db;
    this.#outsideVersion = outsideVersion;
  }

  /**
   * To be called once a transaction has begun. Returns whether another process has committed since the last call.
   */
  look(): boolean {
    const version = this.#outsideVersion();
    const changed = version !== this.#version;
    if (changed) this.drop();
    this.#version = version;
    return changed;
  }

  /** To be called before {@link get} outside of a transaction: looks once in each turn of the event loop. */
  lookOnceATurn() {
    if (this.#looked) return;
    this.#looked = true;
    setImmediate(() => {
      this.#looked = false;
    });
    // The version is not noted: the next transaction has to learn of it too.
    if (this.#outsideVersion() !== this.#version) this.drop();
  }

  get(key: string): unknown {
    return this.#values.get(key);
  }

  /** Begins a read whose value will be kept. Reads do not nest. */
  begin() {
    if (this.#statements) throw new Error("a shared read cannot contain another");
    this.#statements = [];
  }

  /** Ends a read; keeps its value unless the read has failed. */
  end(key: string, value: unknown) {
    const statements = this.#statements ?? [];
    this.#statements = undefined;
    if (value === undefined || statements.some((sql) => this.#tables(sql).virtual)) return;
    if (this.#values.size >= valuesMax) this.drop();
    for (const sql of statements) {
      for (const table of this.#tables(sql).read) this.#addKey(table, key);
    }
    this.#values.set(key, value);
  }

  #addKey(table: string, key: string) {
    const keys = this.#keysOf.get(table);
    if (!keys) this.#keysOf.set(table, new Set([key]));
    else if (keys.size < valuesMax || keys.has(key)) keys.add(key);
    else {
      this.#dropTable(table);
      keys.add(key);
    }
  }

  /** To be called with every query of this connection. */
  queried(sql: string) {
    this.#statements?.push(sql);
  }

  /** To be called with every statement of this connection that is no query. */
  changed(sql: string) {
    if (this.#statements) throw new Error("a shared read changes nothing");
    if (this.#values.size === 0) return;
    for (const table of this.#tables(sql).changed) this.#dropTable(table);
  }

  #dropTable(table: string) {
    const keys = this.#keysOf.get(table);
    if (!keys || keys.size === 0) return;
    for (const key of keys) this.#values.delete(key);
    keys.clear();
  }

  /** To be called after a rollback too: values may have been read from rows that are gone with it. */
  drop() {
    this.#values.clear();
    this.#keysOf.clear();
  }

  #tables(sql: string): StatementTables {
    let tables = this.#tablesOf.get(sql);
    if (!tables) {
      tables = tablesOfStatement(this.#db, sql);
      this.#tablesOf.set(sql, tables);
    }
    return tables;
  }
}
