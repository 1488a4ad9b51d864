import type { Database, Statement } from "bun:sqlite";

/**
 * The idempotency keys that are not in the index yet (see the migration that made `idempotency_key_index`), listed in a
 * temporary table. Temporary tables are in memory and of one connection, and are rolled back as all others are. Each
 * connection that writes tickets has the list: a view of it and the index together answers whether a key is bound.
 */
const temporary = [
  "create temp table recent_key (binding blob primary key, number integer not null) strict, without rowid",
  `create temp trigger recent_key_added after insert on main.idempotency_key begin
     insert into recent_key (binding, number) values (new.binding, new.number);
   end`,
  `create temp view answered_key as
     select r.binding, k.ticket_id, k.answer, k.body_digest, k.fields
     from temp.recent_key r join main.idempotency_key k on k.number = r.number
     union all
     select binding, ticket_id, answer, body_digest, fields from main.answered_key`,
];

/** Keeps the list complete: it has every key that is not in the index, whichever process bound it. */
export class RecentKeys {
  readonly #newest: Statement<{ number: number }, []>;
  readonly #indexed: Statement<{ number: number }, []>;
  readonly #load: Statement<unknown, [number]>;
  /** Every key up to this number is in the list or in the index. */
  #known: number | undefined;
  #loaded = false;

  constructor(db: Database) {
    for (const sql of temporary) db.run(sql);
    this.#newest = db.prepare("select coalesce(max(number), 0) as number from main.idempotency_key");
    this.#indexed = db.prepare("select number from main.idempotency_key_indexed");
    this.#load = db.prepare(
      `insert into recent_key (binding, number) select binding, number from main.idempotency_key where number > ?1
       on conflict do nothing`,
    );
  }

  /** To be called once a transaction has begun. `others`: another process may have committed since the last one. */
  begun(others: boolean) {
    if (this.#loaded && !others) return;
    this.#known ??= this.#indexed.all()[0]?.number ?? 0;
    if (this.newest() > this.#known) this.#load.run(this.#known);
    this.#loaded = true;
  }

  /** To be called before a commit; the number is for {@link committed}. */
  newest(): number {
    return this.#newest.all()[0]?.number ?? 0;
  }

  committed(newest: number) {
    this.#known = newest;
  }

  /** A rollback takes from the list what was added since the begin, also by {@link begun}. */
  rolledBack() {
    this.#loaded = false;
  }

  finalize() {
    for (const statement of [this.#newest, this.#indexed, this.#load]) statement.finalize();
  }
}
