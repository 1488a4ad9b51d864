/**
 * The port to storage. Use cases speak to this and to nothing else, in one SQL text that SQLite and PostgreSQL read
 * alike: `$1` parameters, snake_case, 0/1 for booleans, `double precision` for epoch milliseconds, lower-case text ids,
 * ON CONFLICT where a constraint error might be expected, one statement per call. On the hot path `in ($1)` stands for
 * `= $1` where rows are joined, ordered or aggregated: there SQLite prepares `= ?` anew at every call, for 3 µs.
 */
export type Value = string | number | Uint8Array | null;
export type Row = Record<string, Value>;

export type Engine = "sqlite" | "postgres";

/** One text for both engines, or one for each where they have no words in common, such as search. */
export type Sql = string | Readonly<Record<Engine, string>>;

/**
 * Rows that a query in a write locks until its end, where several processes write at once: `update` waits for a row
 * that another write has locked, `skip` leaves it out. One text locks the rows of one table.
 */
export type RowLock = "update" | "skip";

export interface Statement {
  readonly sql: Sql;
  readonly params: readonly Value[];
  readonly lock?: RowLock | undefined;
  /** Its rows do not matter: storage may send it together with what follows, as long as the write fails if it fails. */
  readonly rowless?: true;
}

/** What a write does next: a statement, or what storage does for the write in a way of its own. */
export type Action = Statement | (() => unknown);

/** What an `Idempotency-Key` was bound to by the first request with it. */
export type KeyAnswer = {
  ticketId: string;
  /** The body of the first answer. */
  answer: string;
  /** The digest of the first body, and the fingerprints of its fields; null for keys that were bound before these were stored. */
  bodyDigest: string;
  fields: string | null;
};

export interface BoundKey extends KeyAnswer {
  /** The first 16 bytes of a SHA-256 over token and key. */
  binding: Uint8Array;
  tokenId: string;
  key: string;
  fields: string;
}

/** A part of a write: yields statements, receives their rows, returns a value. */
export type Step<T> = Generator<Action, T, Row[]>;

/**
 * What a write does, as a generator, so that no `await` can stand in it: writes of one turn of the event loop share a
 * transaction, and a pause inside one would let another slip in. It must be pure (ids, times and digests come from
 * outside), because it may be run again.
 */
export type Write<T> = (tx: Tx) => Step<T>;

export interface Tx {
  /** For parameters that the engines do not have in common, such as what is searched for. */
  readonly engine: Engine;
  /** Returns all rows of a query. `yield* tx.all<BoardRow>("select …", [id])` */
  all<R extends Row>(sql: Sql, params?: readonly Value[], lock?: RowLock): Step<R[]>;
  /** Returns the first row of a query. */
  one<R extends Row>(sql: Sql, params?: readonly Value[], lock?: RowLock): Step<R | undefined>;
  /** Runs a statement whose rows do not matter. */
  run(sql: Sql, params?: readonly Value[]): Step<void>;
  /**
   * Waits until no other write holds the lock of this name, and holds it until the end of the write. Only a write that
   * does not run `alone` needs it, before it looks at what it decides by: a look and a lock in one statement would see
   * what was before the lock.
   * Where one process writes at a time it does nothing.
   */
  lock(...name: readonly string[]): Step<void>;
  /**
   * The value of a step that only reads, and reads rows that seldom change, such as a token or a board's first column.
   * Storage may give later writes the value that it has kept under `key`, as long as running the step again would give
   * the same. `key` names everything that the value depends on. What a step throws is not kept, nor is undefined.
   */
  shared<T>(key: string, read: (tx: Tx) => Step<T>): Step<T>;
  /** Finds what a key was bound to. Storage keeps keys in a way of its own: each ticket looks one up among millions. */
  findKey(binding: Uint8Array): Step<KeyAnswer | undefined>;
  /** Binds a key for ever, which {@link findKey} has not found in this write. */
  bindKey(key: BoundKey): Step<void>;
}

export interface Reader {
  /** As {@link Tx.engine}. */
  readonly engine: Engine;
  all<R extends Row>(sql: Sql, params?: readonly Value[]): Promise<R[]>;
  one<R extends Row>(sql: Sql, params?: readonly Value[]): Promise<R | undefined>;
}

export interface WriteOptions<T> {
  /**
   * What the write rests on where several processes write at once. `alone`, unless said otherwise: it runs as if nothing
   * else did, and again when something else has stood in its way (SERIALIZABLE). `locks`: it locks what it decides by, or
   * rests on a unique index, and sees what others commit meanwhile (READ COMMITTED). `group`: as `locks`, and there are so
   * many of its kind that those of one moment share a transaction. Where one process writes at a time, all are the same.
   */
  isolation?: "alone" | "locks" | "group";
  /** Writes of a group run in this order, in which everybody takes the locks that they share. */
  order?: string;
  /** The bindings that a write of a group will look for with {@link Tx.findKey}: all are looked for at once. */
  keys?: readonly Uint8Array[];
  /**
   * Returns what the write returned if it is stored, told by an id that came from outside; undefined if it is not.
   * Asked when the connection was lost while the write was being committed, so that nobody knows whether it was.
   */
  stored?: Write<T | undefined>;
}

export interface Store extends Reader {
  /**
   * As {@link Reader.one}, for a row that nearly every request reads, such as that of its credential. Storage may give
   * the row that it has kept, as long as it has not changed, as of this turn of the event loop.
   */
  sharedOne<R extends Row>(sql: Sql, params: readonly Value[]): R | Promise<R | undefined>;
  /** As {@link sharedOne}, for all rows of a small table that nearly every request reads, such as that of settings. */
  sharedAll<R extends Row>(sql: Sql, params?: readonly Value[]): readonly R[] | Promise<readonly R[]>;
  /** As {@link Tx.findKey}, outside a write. */
  findKey(binding: Uint8Array): Promise<KeyAnswer | undefined>;
  /**
   * Runs a write and resolves once it is durable: after COMMIT has reached the disk, never before.
   * Rejects with what the generator threw (only its own changes are undone), or with {@link StoreUnavailable}.
   */
  write<T>(write: Write<T>, options?: WriteOptions<T>): Promise<T>;
  /**
   * As {@link write}, for what can be made again from other rows: index entries, counts. Waits until no other write
   * does, at most `within` milliseconds, and is undone by a power failure in the seconds after it. Must take some 2 ms at
   * most: `milliseconds` tells what it took.
   */
  writeDerived<T>(write: Write<T>, options: { within: number }): Promise<{ value: T; milliseconds: number }>;
  /** Why nothing can be committed at the moment, or undefined when all is well. */
  trouble(): string | undefined;
  /** Finishes queued writes and closes. */
  close(): Promise<void>;
}

/**
 * Nothing was stored, unless it is {@link CommitInDoubt}, and the same call may succeed later: disk full, locked by
 * another process, shutting down.
 */
export class StoreUnavailable extends Error {
  override name = "StoreUnavailable";
  /** Seconds after which the same call is worth another try. */
  readonly retrySeconds: number = 1;
}

/**
 * Whether the write was stored is not known, and may be decided later: the connection was lost while it was being
 * committed. What belongs to the write has to stay.
 */
export class CommitInDoubt extends StoreUnavailable {}

/**
 * The write lost a race that it can only see by looking anew: storage runs it again from the start. To be thrown by a
 * write that does not run alone, when a row was there that its own look had not found.
 */
export class Raced extends Error {
  override name = "Raced";
}

/**
 * The statements of {@link Tx}: yielded to the adapter that drives the generator, which answers with their rows.
 */
export const statements: Pick<Tx, "all" | "one" | "run"> = {
  *all<R extends Row>(sql: Sql, params: readonly Value[] = [], lock?: RowLock): Step<R[]> {
    return (yield { sql, params, lock }) as R[];
  },
  *one<R extends Row>(sql: Sql, params: readonly Value[] = [], lock?: RowLock): Step<R | undefined> {
    return (yield { sql, params, lock })[0] as R | undefined;
  },
  *run(sql: Sql, params: readonly Value[] = []): Step<void> {
    yield { sql, params, rowless: true };
  },
};
