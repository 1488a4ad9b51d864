import type { Database } from "bun:sqlite";
import { hashOf } from "../../store/idempotency-keys.ts";

/** Indexes all idempotency keys at once, in the order of the index: a server would do it key by key after its start. */
export function indexMovedKeys(db: Database) {
  const last = db.query<{ number: number | null }, []>("select max(number) as number from idempotency_key").all()[0];
  const count = last?.number ?? 0;
  const hashes = new Float64Array(count);
  // The inserts numbered the rows from 1 without gaps.
  for (const { number, binding } of db
    .query<{ number: number; binding: Uint8Array }, []>("select number, binding from idempotency_key")
    .iterate())
    hashes[number - 1] = hashOf(binding);
  const order = new Uint32Array(count).map((_, i) => i);
  order.sort((a, b) => (hashes[a] as number) - (hashes[b] as number));
  const insert = db.prepare("insert into idempotency_key_index (hash, number) values (?1, ?2)");
  db.transaction(() => {
    db.run("delete from idempotency_key_index");
    for (const i of order) insert.run(hashes[i] as number, i + 1);
    db.run("update idempotency_key_indexed set number = ?1", [count]);
  })();
  insert.finalize();
}
