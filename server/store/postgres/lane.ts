import type { Row, Value } from "../../core/store.ts";
import { isConnectionLost, LaneLost } from "./errors.ts";

/** What a statement brought back. */
interface Result {
  rows: Row[];
  /** The tag that PostgreSQL ends a statement with, such as `COMMIT`. */
  command: string;
}

/** The driver tells no columns of a text with several statements. */
type DriverResult = Row[] & { command: string; columns?: { name: string; type: number }[] };

type ArrayType = Parameters<Bun.SQL["array"]>[1];

export type Parameter = Value | { readonly array: readonly Value[]; readonly type: string };

export interface LaneOptions extends Omit<Bun.SQL.PostgresOrMySQLOptions, "adapter" | "max"> {
  /** Statements that each transaction begins with: through a pooler, what is set for a connection is set for others too. */
  eachTransaction?: readonly string[];
}

/** Milliseconds that this process waits for the answer to a statement, and to a commit. */
export interface Patience {
  statement: number;
  commit: number;
  /** For a connection to be opened. */
  open?: number;
}

const usualPatience: Patience = { statement: 10_000, commit: 20_000 };
/** Longer than the driver's own time limit for connections, which gives the better reason. */
const openMilliseconds = 6_000;
/** PostgreSQL's type numbers of bigint and numeric, which the driver gives as text. */
const [bigint, numeric] = [20, 1700];

/**
 * One connection. It is reserved, and never opened again by itself: a driver that reconnects in the middle of a
 * transaction would commit its second half alone. Statements go out in the order of the calls, without waiting for the
 * answers of those before.
 */
export class Lane {
  readonly #sql: Bun.SQL;
  readonly #connection: Bun.ReservedSQL;
  readonly #patience: Patience;
  readonly #eachTransaction: string;
  /** The statements that have no answer yet, and when each has to have one; oldest first. */
  readonly #unanswered = new Set<{ due: number; reject: (error: unknown) => void }>();
  #lost: unknown;

  private constructor(
    sql: Bun.SQL,
    connection: Bun.ReservedSQL,
    { patience, eachTransaction }: { patience: Patience; eachTransaction: readonly string[] },
  ) {
    this.#sql = sql;
    this.#connection = connection;
    this.#patience = patience;
    this.#eachTransaction = eachTransaction.map((statement) => `; ${statement}`).join("");
  }

  static async open({ eachTransaction = [], ...options }: LaneOptions, patience = usualPatience): Promise<Lane> {
    let lane: Lane | undefined;
    const sql = new Bun.SQL({
      ...options,
      adapter: "postgres",
      max: 1,
      idleTimeout: 0,
      maxLifetime: 0,
      onclose: (error) => lane?.lose(error ?? new LaneLost("the connection was closed")),
    });
    let timer: Timer | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = () => new LaneLost("the database accepted no connection in time");
      timer = setTimeout(() => reject(error()), patience.open ?? openMilliseconds);
    });
    try {
      // Whoever waits for a lane would wait for ever, should the driver never say how a connection ended.
      lane = new Lane(sql, await Promise.race([sql.reserve(), late]), { patience, eachTransaction });
      return lane;
    } catch (error) {
      void sql.close({ timeout: 0 }).catch(() => {});
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Why this lane can no longer be used, or undefined. */
  get lost(): unknown {
    return this.#lost;
  }

  /** How many statements wait for their answer. */
  get waiting(): number {
    return this.#unanswered.size;
  }

  /** Rejects with the error of PostgreSQL, or with {@link LaneLost}. */
  query(text: string, params: readonly Parameter[] = [], milliseconds = this.#patience.statement): Promise<Result> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    const values = params.map((value) => this.#valueOf(value));
    return new Promise((resolve, reject) => {
      const asked = { due: performance.now() + milliseconds, reject };
      this.#unanswered.add(asked);
      // The driver sends a query once somebody waits for it: at once, or one that is called later would overtake it.
      (values.length > 0 ? this.#connection.unsafe(text, values) : this.#connection.unsafe(text)).then(
        (result: DriverResult) => {
          this.#unanswered.delete(asked);
          resolve({ rows: withNumbers(result), command: result.command });
        },
        (error: unknown) => {
          this.#unanswered.delete(asked);
          if (isConnectionLost(error)) this.lose(error);
          reject(this.#lost ?? withoutValues(error));
        },
      );
    });
  }

  /** `how` stands after `begin`. */
  begin(how = ""): Promise<unknown> {
    return this.query(`begin ${how}${this.#eachTransaction}`);
  }

  /** What a `copy … to stdout` sends. */
  copyOut(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
    return this.#connection.unsafe(text).readable();
  }

  /** Takes what a `copy … from stdin` is sent. Nothing else can be asked until it was closed. */
  copyIn(text: string): WritableStreamDefaultWriter<NodeJS.TypedArray | string | DataView | ArrayBufferLike> {
    const writer = this.#connection.unsafe(text).writable().getWriter();
    // A failure is told by the write or the close that it hinders.
    writer.closed.catch(() => {});
    return writer;
  }

  /** Ends the transaction. A transaction that had failed is answered with `ROLLBACK`, which is no error to the driver. */
  async commit(): Promise<void> {
    const { command } = await this.query("commit", [], this.#patience.commit);
    if (command !== "COMMIT") throw new Error(`commit was answered with ${command}`);
  }

  /** To be called from time to time: gives the connection up when an answer is overdue. */
  look(now: number) {
    const [oldest] = this.#unanswered;
    if (oldest && oldest.due < now) this.lose(new LaneLost("the database did not answer in time"));
  }

  lose(error: unknown) {
    if (this.#lost !== undefined) return;
    this.#lost = error instanceof LaneLost ? error : new LaneLost("the connection was lost", { cause: error });
    this.close();
    // The driver may go on waiting for a server that no longer answers.
    for (const { reject } of this.#unanswered) reject(this.#lost);
    this.#unanswered.clear();
  }

  close() {
    this.#lost ??= new LaneLost("the connection was closed");
    void this.#sql.close({ timeout: 0 }).catch(() => {});
  }

  #valueOf(value: Parameter): unknown {
    if (value === undefined) throw new TypeError("a parameter is undefined");
    if (value === null || typeof value !== "object" || value instanceof Uint8Array) return value;
    return this.#sql.array(value.array as Value[], value.type as ArrayType);
  }
}

/** Without what PostgreSQL tells of the row that it refused: errors are logged, and the row may hold a secret. */
function withoutValues(error: unknown): unknown {
  if (error instanceof Bun.SQL.PostgresError) Object.assign(error, { detail: undefined, where: undefined });
  return error;
}

function withNumbers(rows: DriverResult): Row[] {
  for (const { name, type } of rows.columns ?? []) {
    if (type !== bigint && type !== numeric) continue;
    for (const row of rows) if (row[name] !== null) row[name] = Number(row[name]);
  }
  return rows;
}
