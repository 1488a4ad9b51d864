import type { Database } from "bun:sqlite";

/** The tables that a statement reads and changes, those included that its foreign keys and triggers lead to. */
export interface StatementTables {
  read: readonly string[];
  changed: readonly string[];
  /** Whether it reads a virtual table, whose contents are in tables of other names. */
  virtual: boolean;
}

interface Instruction {
  opcode: string;
  p1: number;
  p2: number;
  p3: number;
}

/** The number of the main database in the code of a statement; 1 is that of temporary tables. */
const main = 0;

/**
 * Asks SQLite for the code of a statement: it opens every table and index, also those of foreign keys and triggers, by
 * the number of its first page. Tables that are not in the main database are left out. A delete of every row may empty a
 * table without opening it.
 */
export function tablesOfStatement(db: Database, sql: string): StatementTables {
  const code = rowsOf<Instruction>(db, `explain ${sql}`);
  const tables = rowsOf<{ name: string; page: number }>(
    db,
    "select tbl_name as name, rootpage as page from sqlite_schema where rootpage > 0",
  );
  const nameOf = new Map(tables.map(({ name, page }) => [page, name]));
  const named = (pages: readonly number[]) => [...new Set(pages.flatMap((page) => nameOf.get(page) ?? []))];
  const opened = (opcode: string) => code.filter((one) => one.opcode === opcode && one.p3 === main).map(({ p2 }) => p2);
  const emptied = code.filter(({ opcode, p2 }) => opcode === "Clear" && p2 === main).map(({ p1 }) => p1);
  return {
    read: named(opened("OpenRead")),
    changed: named([...opened("OpenWrite"), ...emptied]),
    virtual: code.some(({ opcode }) => opcode === "VOpen"),
  };
}

function rowsOf<R>(db: Database, sql: string): R[] {
  const statement = db.prepare(sql);
  try {
    return statement.all() as R[];
  } finally {
    statement.finalize();
  }
}
