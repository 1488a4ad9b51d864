import {
  type BoundKey,
  type KeyAnswer,
  type Row,
  type RowLock,
  type Sql,
  type Statement,
  type Step,
  statements,
  type Tx,
  type Value,
  type Write,
} from "../../core/store.ts";
import { recordText } from "../record-texts.ts";
import { findKeys, nameOfBinding } from "./find-keys.ts";
import type { Lane } from "./lane.ts";
import { type MergeableTexts, MergedInserts } from "./merge-inserts.ts";

/** Rows that refer to the locked ones can still be added. */
const locks: Record<RowLock, string> = { update: " for no key update", skip: " for no key update skip locked" };

/**
 * Makes the commit of a transaction that only reads wait for the standbys: until they have all that this server has
 * committed before, with which it may be ahead of them. An id of a transaction alone would not make a commit wait.
 */
const confirm = `select pg_logical_emit_message(true, 'intake', '') is not null as confirmed
  where current_setting('synchronous_standby_names') <> ''`;

const insertKey = `insert into idempotency (binding, token_id, key, ticket_id, body_digest, answer, fields)
  values ($1, $2, $3, $4, $5, $6, $7)`;

/**
 * One transaction on a lane. Statements whose rows do not matter go out without waiting for their answers, rows to be
 * inserted wait for each other; a failure of any shows at the next query, and at the commit at the latest.
 */
export class Transaction {
  readonly #lane: Lane;
  readonly #inserts: MergedInserts;
  readonly #tx: Tx;
  /** What shared reads have given in this transaction. */
  readonly #shared = new Map<string, unknown>();
  /** What is known of idempotency keys in this transaction; undefined for a key that is not bound. */
  readonly #keys = new Map<string, KeyAnswer | undefined>();
  /** Whether something was read that a standby may not have. */
  #ahead = false;
  /** How many shared reads the running statement is part of. */
  #sharing = 0;
  #failed: { error: unknown } | undefined;
  /** Whether a statement other than a query was run since {@link begin}. */
  changed = false;

  /** `group`: the writes of a group rest on unique indexes and locks, and those that come together may tie. */
  constructor(lane: Lane, texts: MergeableTexts, { group = false } = {}) {
    this.#lane = lane;
    this.#inserts = new MergedInserts(texts, group);
    this.#tx = {
      ...statements,
      ...this.#keySteps(),
      engine: "postgres",
      shared: (key, read) => this.#sharedStep(key, read),
      *lock(...name) {
        const sql = "select pg_advisory_xact_lock(hashtextextended($1, 0))";
        // What is asked afterwards waits behind it.
        yield { sql, params: [name.join(" ")], rowless: true };
      },
    };
  }

  begin(how: string) {
    this.#expect(this.#lane.begin(how));
  }

  /** Sends a statement whose rows do not matter. */
  send(sql: string) {
    this.#send(sql);
  }

  /** Looks for keys, so that {@link Tx.findKey} need not ask for each. */
  async findKeys(bindings: readonly Uint8Array[]): Promise<void> {
    if (bindings.length === 0) return;
    const query = async (...asked: Parameters<Lane["query"]>) => (await this.#lane.query(...asked)).rows;
    const { answers, ahead } = await findKeys(query, bindings);
    if (ahead) this.#ahead = true;
    for (const name of bindings.map(nameOfBinding)) this.#keys.set(name, answers.get(name));
  }

  /** Runs a write to its end. */
  async run<T>(write: Write<T>): Promise<T> {
    const steps = write(this.#tx);
    let step = steps.next();
    while (!step.done) {
      let rows: unknown;
      try {
        // Without a promise where there is nothing to wait for: most writes of a group wait for nothing.
        const given = this.#execute(step.value);
        rows = given instanceof Promise ? await given : given;
      } catch (error) {
        // Not `throw()`: the generator must have no way to go on after a failed statement.
        steps.return(undefined as T);
        throw this.#failed ? this.#failed.error : error;
      }
      step = steps.next(rows as Row[]);
    }
    return step.value;
  }

  /** What was read is acknowledged to somebody: {@link commit} waits until the standbys have it too. */
  confirm() {
    this.#ahead = true;
  }

  /** Resolves once the transaction is durable. Rejects with the first error of the transaction. */
  async commit(): Promise<void> {
    this.#sendInserts();
    if (this.#ahead) this.#send(confirm);
    try {
      await this.#lane.commit();
    } catch (error) {
      throw this.#failed ? this.#failed.error : error;
    }
    if (this.#failed) throw this.#failed.error;
  }

  async rollback(): Promise<void> {
    if (this.#lane.lost === undefined) await this.#lane.query("rollback");
  }

  #execute(action: Statement | (() => unknown)): unknown {
    if (typeof action === "function") return action();
    const { params, lock, rowless } = action;
    const sql = textOf(action.sql);
    if (!sql.startsWith("select")) {
      if (this.#sharing > 0) throw new Error(`a shared read changes nothing: ${sql}`);
      this.changed = true;
      // What a shared read has given may be changed by this.
      if (!sql.startsWith("insert")) this.#shared.clear();
    }
    if (rowless && this.#inserts.add(sql, params)) return [];
    this.#sendInserts();
    if (rowless) {
      this.#send(sql, params);
      return [];
    }
    return this.#lane.query(lock ? sql + locks[lock] : sql, params).then(({ rows }) => rows);
  }

  #sendInserts() {
    if (this.#inserts.empty) return;
    for (const { sql, params } of this.#inserts.take()) this.#send(sql, params);
  }

  #send(sql: string, params: Parameters<Lane["query"]>[1] = []) {
    this.#expect(this.#lane.query(sql, params));
  }

  /** A failure shows at the next query. */
  #expect(answer: Promise<unknown>) {
    answer.catch((error: unknown) => {
      this.#failed ??= { error };
    });
  }

  *#sharedStep<T>(key: string, read: (tx: Tx) => Step<T>): Step<T> {
    if (this.#shared.has(key)) return this.#shared.get(key) as T;
    this.#sharing++;
    let value: T;
    try {
      value = yield* read(this.#tx);
    } finally {
      this.#sharing--;
    }
    if (value !== undefined) this.#shared.set(key, value);
    return value;
  }

  #keySteps(): Pick<Tx, "findKey" | "bindKey"> {
    const find = (binding: Uint8Array) => {
      const name = nameOfBinding(binding);
      if (this.#keys.has(name)) return [this.#keys.get(name)];
      return this.findKeys([binding]).then(() => [this.#keys.get(name)]);
    };
    const bind = ({ binding, tokenId, key, ticketId, bodyDigest, answer, fields }: BoundKey) => {
      this.#keys.set(nameOfBinding(binding), { ticketId, answer, bodyDigest, fields });
      const params: Value[] = [binding, tokenId, key, ticketId, bodyDigest, answer, fields];
      return this.#execute({ sql: insertKey, params, rowless: true });
    };
    return {
      *findKey(binding) {
        return (yield () => find(binding))[0] as KeyAnswer | undefined;
      },
      *bindKey(key) {
        yield () => bind(key);
      },
    };
  }
}

/** The text of a statement for PostgreSQL. */
export function textOf(sql: Sql): string {
  recordText?.(sql);
  return typeof sql === "string" ? sql : sql.postgres;
}
