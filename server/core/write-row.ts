import type { Step, Tx, Value } from "./store.ts";

/** Adds a row. Names of tables and columns come from the code, never from a caller. */
export function insertStep(tx: Tx, table: string, columns: Readonly<Record<string, Value>>): Step<void> {
  const names = Object.keys(columns);
  const places = names.map((_, i) => `$${i + 1}`);
  return tx.run(`insert into ${table} (${names.join(", ")}) values (${places.join(", ")})`, Object.values(columns));
}

/** Sets columns of the row with this id; writes nothing when there are no columns. */
export function* updateStep(tx: Tx, table: string, id: string, columns: Readonly<Record<string, Value>>): Step<void> {
  const names = Object.keys(columns);
  if (names.length === 0) return;
  const set = names.map((name, i) => `${name} = $${i + 2}`);
  yield* tx.run(`update ${table} set ${set.join(", ")} where id = $1`, [id, ...Object.values(columns)]);
}
