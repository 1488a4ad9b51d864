/**
 * The port to storage. Use cases speak to this and to nothing else, in one SQL text that SQLite and PostgreSQL read
 * alike: `$1` parameters, snake_case, 0/1 for booleans, `double precision` for epoch milliseconds, lower-case text ids,
 * ON CONFLICT where a constraint error might be expected, one statement per call. On the hot path `in ($1)` stands for
 * `= $1` where rows are joined, ordered or aggregated: there SQLite prepares `= ?` anew at every call, for 3 µs.
 */
export type Value = string | number | Uint8Array | null;
export type Row = Record<string, Value>;

export interface Statement {
  readonly sql: string;
  readonly params: readonly Value[];
}

/** A part of a write: yields statements, receives their rows, returns a value. */
export type Step<T> = Generator<Statement, T, Row[]>;

/**
 * What a write does, as a generator, so that no `await` can stand in it: writes of one turn of the event loop share a
 * transaction, and a pause inside one would let another slip in. It must be pure (ids, times and digests come from
 * outside), because it may be run again.
 */
export type Write<T> = (tx: Tx) => Step<T>;

export interface Tx {
  /** Returns all rows of a query. `yield* tx.all<BoardRow>("select …", [id])` */
  all<R extends Row>(sql: string, params?: readonly Value[]): Step<R[]>;
  /** Returns the first row of a query. */
  one<R extends Row>(sql: string, params?: readonly Value[]): Step<R | undefined>;
  /** Runs a statement whose rows do not matter. */
  run(sql: string, params?: readonly Value[]): Step<void>;
}

export interface Reader {
  all<R extends Row>(sql: string, params?: readonly Value[]): Promise<R[]>;
  one<R extends Row>(sql: string, params?: readonly Value[]): Promise<R | undefined>;
}

export interface Store extends Reader {
  /**
   * Runs a write and resolves once it is durable: after COMMIT has reached the disk, never before.
   * Rejects with what the generator threw (only its own changes are undone), or with {@link StoreUnavailable}.
   */
  write<T>(write: Write<T>): Promise<T>;
  /** Why nothing can be committed at the moment, or undefined when all is well. */
  trouble(): string | undefined;
  /** Finishes queued writes and closes. */
  close(): Promise<void>;
}

/** Nothing was stored, and the same call may succeed later: disk full, locked by another process, shutting down. */
export class StoreUnavailable extends Error {
  override name = "StoreUnavailable";
}

/**
 * The one implementation of {@link Tx}: yields statements to the adapter that drives the generator, and receives their
 * rows.
 */
export const tx: Tx = {
  *all<R extends Row>(sql: string, params: readonly Value[] = []): Step<R[]> {
    return (yield { sql, params }) as R[];
  },
  *one<R extends Row>(sql: string, params: readonly Value[] = []): Step<R | undefined> {
    return (yield { sql, params })[0] as R | undefined;
  },
  *run(sql: string, params: readonly Value[] = []): Step<void> {
    yield { sql, params };
  },
};
