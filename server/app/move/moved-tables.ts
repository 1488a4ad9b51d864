import { Database } from "bun:sqlite";
import { migrations } from "../../store/migrations/index.ts";

export type ColumnType = "text" | "integer" | "real" | "blob";

/** A table whose rows are moved, as SQLite's schema has it: PostgreSQL's has the same columns. */
export interface MovedTable {
  name: string;
  columns: readonly { name: string; type: ColumnType }[];
  /** The order in which SQLite has the rows. */
  order: string;
}

/**
 * Tables of SQLite that are not moved. The indexes of words are made again by the servers, from tickets and reports.
 * The rows of `idempotency_key` are moved as rows of `idempotency`, which is one table on PostgreSQL.
 */
const leftOut: readonly string[] = [
  "migration",
  "idempotency_key",
  "idempotency_key_index",
  "idempotency_key_indexed",
  "card_text",
  "card_search",
  "report_number",
  "report_text",
  "report_indexed",
  "report_word",
  "moving_table",
];

/** Every table to move, each behind the tables that it refers to. */
function movedTables(db: Database): MovedTable[] {
  const found = db
    .query<{ name: string; wr: number }, []>(
      "select name, wr from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%' order by name",
    )
    .all()
    .filter(({ name }) => !leftOut.includes(name));
  const waiting = new Map(found.map(({ name, wr }) => [name, { wr, refers: referredTables(db, name) }]));
  const tables: MovedTable[] = [];
  while (waiting.size > 0) {
    const free = [...waiting].find(([name, { refers }]) =>
      refers.every((other) => other === name || !waiting.has(other)),
    );
    if (!free) throw new Error(`tables refer to each other in a circle: ${[...waiting.keys()].join(", ")}`);
    const [name, { wr }] = free;
    waiting.delete(name);
    tables.push(describe(db, name, wr === 1));
  }
  return tables;
}

function referredTables(db: Database, name: string): string[] {
  return db
    .query<{ table: string }, [string]>('select "table" from pragma_foreign_key_list(?1)')
    .all(name)
    .map(({ table }) => table);
}

function describe(db: Database, name: string, withoutRowid: boolean): MovedTable {
  const columns = db
    .query<{ name: string; type: string; pk: number }, [string]>(
      "select name, lower(type) as type, pk from pragma_table_info(?1) order by cid",
    )
    .all(name);
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  return {
    name,
    columns: columns.map(({ name, type }) => ({ name, type: type as ColumnType })),
    order: withoutRowid ? key.map(({ name }) => name).join(", ") : "rowid",
  };
}

export function columnNames({ columns }: MovedTable): string {
  return columns.map(({ name }) => name).join(", ");
}

/** The tables of this binary's schema. */
export function tablesOfSchema(): MovedTable[] {
  const db = new Database(":memory:");
  try {
    for (const { sql } of migrations) db.run(sql);
    return movedTables(db);
  } finally {
    db.close();
  }
}
