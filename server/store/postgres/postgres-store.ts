import {
  type KeyAnswer,
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
import { isConnectionLost, troubleOf } from "./errors.ts";
import { KeyLookups } from "./find-keys.ts";
import { Lane, type LaneOptions, type Parameter, type Patience } from "./lane.ts";
import { Lanes } from "./lanes.ts";
import { type Columns, MergeableTexts } from "./merge-inserts.ts";
import type { DatabaseObserver, LaneCounts } from "./observer.ts";
import { readColumns } from "./read-columns.ts";
import { SharedLanes } from "./shared-lanes.ts";
import { StoreTrouble } from "./store-trouble.ts";
import { textOf } from "./transaction.ts";
import { TransactionRunner } from "./transaction-runner.ts";
import { WriteGroups } from "./write-groups.ts";

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

const queueMax = 20_000;
/** What a start opens at once: each connection costs both sides some milliseconds of processor time. */
const warmed = { readers: 2, writers: 4 } as const;
const lookMilliseconds = 250;
/** The share of the time that derived writes take at most while others come: the database works for both at once. */
const derivedShare = 0.1;
/** After a derived write that took very long, the next one waits so long at most. */
const restMilliseconds = 2_000;
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
  readonly #readers: SharedLanes;
  readonly #runner: TransactionRunner;
  readonly #groups: WriteGroups;
  readonly #trouble: StoreTrouble;
  readonly #lookups = new KeyLookups((sql, params) => this.query(sql, params));
  readonly #looking: ReturnType<typeof setInterval>;
  readonly #underWay = new Set<Promise<unknown>>();
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
    this.#trouble = new StoreTrouble((write) => this.#runner.runAlone(write, {}), options.onTrouble);
    const open = () => Lane.open(options.connection, options.patience);
    const readers = Math.max(1, Math.floor(options.connections / 4));
    this.#readers = new SharedLanes(readers, open, options.onFewer);
    const writers = options.connections - readers;
    this.#writers = new Lanes({
      size: writers,
      open,
      onOpened: (trouble) => this.#trouble.tell(trouble),
      onFewer: () => options.onFewer?.(),
    });
    const { onCommit, observer } = options;
    const texts = new MergeableTexts(columns);
    this.#runner = new TransactionRunner({ lanes: this.#writers, texts, trouble: this.#trouble, onCommit, observer });
    this.#groups = new WriteGroups({ runner: this.#runner, connections: writers, onCommit, observer });
    this.#looking = setInterval(() => this.#look(performance.now()), lookMilliseconds);
    this.#looking.unref();
  }

  static async open(options: PostgresOptions): Promise<PostgresStore> {
    const lane = await Lane.open(options.connection);
    try {
      await requireDurableCommits(lane);
      return new PostgresStore(options, await readColumns(lane));
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
    if (this.#groups.waiting >= queueMax) return Promise.reject(new StoreUnavailable("too many writes are waiting"));
    return this.#track(this.#counted(this.#writeAs(write, options)));
  }

  #writeAs<T>(write: Write<T>, options: WriteOptions<T>): Promise<T> {
    if (options.isolation === "group") return this.#groups.write(write, options);
    if (options.isolation === "locks") return this.#runner.runAlone(write, options);
    const done = this.#alone.then(() =>
      this.#runner.runAlone(write, { how: "isolation level serializable", ...options }),
    );
    this.#alone = done.catch(() => {});
    return done;
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
    const done = this.#runner.runAlone(write, { setting: "set local synchronous_commit = off" }).finally(() => {
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
