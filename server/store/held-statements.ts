import type { Database } from "bun:sqlite";
import type { Row, Value } from "../core/store.ts";
import { type KeptStatement, timed } from "./statement-times.ts";

/**
 * The prepared statements of a connection, kept: `Database.query` keeps 20 only. Every text is a constant of the code,
 * so their number is bounded.
 */
export class HeldStatements {
  readonly #db: Database;
  readonly #held = new Map<string, KeptStatement>();

  constructor(db: Database) {
    this.#db = db;
  }

  all(sql: string, params: readonly Value[]): Row[] {
    let statement = this.#held.get(sql);
    if (!statement) {
      // SQLite numbers `$1` by first appearance, `?1` by its digit.
      statement = timed(this.#db.prepare(sql.replace(/\$(\d+)/g, "?$1")), sql);
      this.#held.set(sql, statement);
    }
    for (const value of params) {
      if (value === undefined) throw new TypeError(`undefined is no value for SQL: ${sql}`);
    }
    // Never `.get()`: on INSERT … RETURNING it resets the statement before the statement is done.
    return statement.all(...(params as Value[])) as Row[];
  }

  /** A held statement keeps its connection open. */
  finalize() {
    for (const statement of this.#held.values()) statement.finalize();
    this.#held.clear();
  }
}
