import type { Database, Statement } from "bun:sqlite";
import type { Value } from "../../core/store.ts";
import { decoders, encoders } from "./copy-text.ts";
import { columnNames, type MovedTable } from "./moved-tables.ts";

/** Characters that are gathered before they are handed on. */
const batchCharacters = 262_144;
/** Keys of this version and of earlier ones stand in a table each. */
const [keys, earlierKeys] = ["idempotency_key", "idempotency"] as const;

/** The tables of SQLite that have the rows of a moved table. */
function partsOf({ name, order }: MovedTable): { name: string; order: string }[] {
  return name === earlierKeys
    ? [
        { name, order },
        { name: keys, order: "number" },
      ]
    : [{ name, order }];
}

export function countRows(db: Database, table: MovedTable): number {
  return partsOf(table)
    .map(({ name }) => db.query<{ count: number }, []>(`select count(*) as count from ${name}`).all()[0]?.count ?? 0)
    .reduce((sum, count) => sum + count, 0);
}

export function* readRows(db: Database, table: MovedTable): Generator<Uint8Array> {
  const columns = table.columns.map(({ name, type }) => ({ name, encode: encoders[type] }));
  let lines = "";
  for (const part of partsOf(table)) {
    const statement = db.prepare<Record<string, Value>, []>(
      `select ${columnNames(table)} from ${part.name} order by ${part.order}`,
    );
    try {
      for (const row of statement.iterate()) {
        for (let i = 0; i < columns.length; i++) {
          const { name, encode } = columns[i] as (typeof columns)[number];
          lines += i === 0 ? encode(row[name] as Value) : `\t${encode(row[name] as Value)}`;
        }
        lines += "\n";
        if (lines.length < batchCharacters) continue;
        yield Buffer.from(lines);
        lines = "";
      }
    } finally {
      statement.finalize();
    }
  }
  if (lines !== "") yield Buffer.from(lines);
}

/** Inserts rows of one table. */
export class RowInserter {
  readonly #columns: readonly ((field: string) => Value)[];
  readonly #insert: Statement;
  /** For keys that were bound before the fields of their first body were noted. */
  readonly #insertEarlier: Statement | undefined;

  constructor(db: Database, table: MovedTable) {
    this.#columns = table.columns.map(({ type }) => decoders[type]);
    const places = table.columns.map((_, i) => `?${i + 1}`).join(", ");
    const into = (name: string) => db.prepare(`insert into ${name} (${columnNames(table)}) values (${places})`);
    const ofKeys = table.name === earlierKeys;
    this.#insert = into(ofKeys ? keys : table.name);
    this.#insertEarlier = ofKeys ? into(earlierKeys) : undefined;
  }

  insert(lines: Uint8Array) {
    const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString();
    for (let start = 0; start < text.length; ) {
      const end = text.indexOf("\n", start);
      const fields = text.slice(start, end).split("\t");
      const values = this.#columns.map((decode, i) => decode(fields[i] as string));
      (this.#insertEarlier && values.at(-1) === null ? this.#insertEarlier : this.#insert).run(...values);
      start = end + 1;
    }
  }

  close() {
    this.#insert.finalize();
    this.#insertEarlier?.finalize();
  }
}
