import type { BoundKey, KeyAnswer, Step, Tx } from "../core/store.ts";
import type { HeldStatements } from "./held-statements.ts";
import { KeyTable } from "./key-table.ts";

type Binding = Uint8Array;

const columns = `ticket_id as "ticketId", answer, body_digest as "bodyDigest", fields`;
const selectAnswer = `select ${columns} from idempotency_key where number in ($1) and binding in ($2)`;
const selectIndexed = `select ${columns} from idempotency_key_index i join idempotency_key k on k.number = i.number
  where i.hash in ($1) and k.binding in ($2)`;
const selectEarlier = `select ${columns} from idempotency where binding in ($2)`;
const selectLater = "select number, binding from idempotency_key where number > $1 order by number limit $2";
const insertKey = `insert into idempotency_key (number, binding, token_id, key, ticket_id, body_digest, answer, fields)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;
/** Rows of keys that are read at a time. */
const laterMax = 10_000;

/**
 * The idempotency keys of one connection that writes: those in the index, those of earlier versions, and in memory those
 * that are not in the index yet. One process writes at a time, and each learns at the begin of a transaction what
 * others have bound, so a key is bound once.
 */
export class IdempotencyKeys {
  readonly #statements: HeldStatements;
  readonly #selectByHash: string;
  /** Keys that were bound since the last sweep into the index began. */
  #recent = new KeyTable(0);
  /** Keys that the running sweep takes into the index. */
  #swept: KeyTable | undefined;
  /** Every key up to this number is in the index. */
  #indexed = 0;
  /** Every key up to this number is in the index once the running sweep has ended. */
  #sweepsTo = 0;
  /** The number of the newest key, as committed. Undefined until the first transaction. */
  #newest: number | undefined;
  /** Whether others may have bound keys that are not known here yet. */
  #stale = true;
  /** What this transaction has bound. */
  readonly #added: { hash: number; number: number }[] = [];

  constructor(statements: HeldStatements) {
    this.#statements = statements;
    const [earlier] = statements.all("select 1 from idempotency limit 1", []);
    this.#selectByHash = earlier ? `${selectIndexed} union all ${selectEarlier}` : selectIndexed;
  }

  /** To be called once a transaction has begun. `others`: another process may have committed since the last one. */
  begun(others: boolean) {
    this.#stale ||= others;
    if (!this.#stale) return;
    if (this.#newest === undefined) {
      const [row] = this.#statements.all("select number from idempotency_key_indexed", []) as { number: number }[];
      this.#indexed = row?.number ?? 0;
      this.#newest = this.#indexed;
      this.#recent = new KeyTable(this.#indexed);
    }
    let rows: { number: number; binding: Binding }[];
    do {
      rows = this.#statements.all(selectLater, [this.#newest, laterMax]) as typeof rows;
      for (const { number, binding } of rows) this.#recent.add(hashOf(binding), number);
      this.#newest = rows.at(-1)?.number ?? this.#newest;
    } while (rows.length === laterMax);
    this.#stale = false;
  }

  find(binding: Binding): KeyAnswer[] {
    const hash = hashOf(binding);
    for (const table of [this.#recent, this.#swept]) {
      for (const number of table?.find(hash) ?? []) {
        const rows = this.#statements.all(selectAnswer, [number, binding]) as KeyAnswer[];
        if (rows.length > 0) return rows;
      }
    }
    return this.#statements.all(this.#selectByHash, [hash, binding]) as KeyAnswer[];
  }

  /** To be called for a key that {@link find} has not found in this transaction. */
  bind({ binding, tokenId, key, ticketId, bodyDigest, answer, fields }: BoundKey) {
    const number = (this.#newest ?? 0) + this.#added.length + 1;
    this.#statements.all(insertKey, [number, binding, tokenId, key, ticketId, bodyDigest, answer, fields]);
    const hash = hashOf(binding);
    this.#recent.add(hash, number);
    this.#added.push({ hash, number });
  }

  committed() {
    this.#newest = (this.#newest ?? 0) + this.#added.length;
    this.#added.length = 0;
  }

  /** How many keys this transaction has bound so far: what {@link rolledBack} goes back to. */
  get added(): number {
    return this.#added.length;
  }

  /** To be called after a rollback, to a savepoint if `added` is not 0. */
  rolledBack(added = 0) {
    for (const { hash, number } of this.#added.splice(added)) this.#recent.remove(hash, number);
  }

  /** How many keys are not in the index yet, and how many are or will be with the running sweep. */
  get waiting(): number {
    return (this.#newest ?? 0) - this.#indexed;
  }

  get indexed(): number {
    return this.#indexed;
  }

  /** Begins a sweep, or the one that could not end again. Returns the slots to go through with {@link sweepStep}. */
  beginSweep(): number {
    if (!this.#swept) {
      this.#swept = this.#recent;
      this.#sweepsTo = this.#newest ?? 0;
      this.#recent = new KeyTable(this.#sweepsTo);
    }
    return this.#swept.slots;
  }

  /** Adds the keys of some slots to the index. */
  *sweepStep(tx: Tx, from: number, to: number): Step<void> {
    for (const { hash, number } of this.#swept?.between(from, to) ?? []) {
      yield* tx.run("insert into idempotency_key_index (hash, number) values ($1, $2) on conflict do nothing", [
        hash,
        number,
      ]);
    }
  }

  *endSweepStep(tx: Tx): Step<void> {
    yield* tx.run("update idempotency_key_indexed set number = $1", [this.#sweepsTo]);
  }

  /** To be called once {@link endSweepStep} is committed. */
  sweepEnded() {
    this.#indexed = this.#sweepsTo;
    this.#swept = undefined;
  }
}

/** The first 53 bits: as many as a number holds exactly. Bindings are hashes themselves. */
export function hashOf(binding: Binding): number {
  const view = new DataView(binding.buffer, binding.byteOffset, 8);
  return view.getUint32(0) * 2 ** 21 + (view.getUint32(4) >>> 11);
}
