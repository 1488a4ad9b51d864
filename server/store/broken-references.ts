import type { Database } from "bun:sqlite";

const maxReferences = 5;
const maxRows = 5;
const maxCharacters = 40;

/** A foreign key of a table, and how many rows of the table refer to missing rows. */
interface BrokenReference {
  table: string;
  parent: string;
  fkid: number;
  rows: number;
}

/**
 * Finds rows that refer to missing rows: in words (tables, numbers, the first rows), and the SQL that deletes them.
 * Undefined when every reference is whole.
 */
export function brokenReferences(db: Database): { words: string; sql: string } | undefined {
  const broken = db
    .query<BrokenReference, []>(
      'select "table", parent, fkid, count(*) as rows from pragma_foreign_key_check group by 1, 2, 3 order by 1, 2, 3',
    )
    .all();
  if (broken.length === 0) return;
  const words = broken.slice(0, maxReferences).map((reference) => wordsOf(db, reference));
  if (broken.length > maxReferences) words.push(`${broken.length - maxReferences} more references`);
  const deletes = broken.map((reference) => `delete from ${conditionOf(db, reference)};`);
  // With foreign keys on, rows that refer to a deleted row are deleted or kept by the rules of the schema.
  return { words: words.join("; "), sql: ["pragma foreign_keys = on;", ...deletes].join(" ") };
}

function wordsOf(db: Database, reference: BrokenReference): string {
  const { table, parent, rows } = reference;
  const withoutRowid = db
    .query<{ wr: number }, [string]>("select wr from pragma_table_list where schema = 'main' and name = ?1")
    .get(table)?.wr;
  const key = withoutRowid ? primaryKey(db, table) : ["rowid"];
  const first = db
    .query(
      `select ${key.map((column) => `t.${column}`).join(", ")} from ${conditionOf(db, reference)} order by ${key.map((_, i) => i + 1).join(", ")} limit ${maxRows}`,
    )
    .values()
    .map((values) => values.map(shown).join(" "));
  const more = rows > first.length ? ", …" : "";
  return `table ${table}, ${rows} row${rows === 1 ? "" : "s"} without their ${parent} (${key.join(" ")}: ${first.join(", ")}${more})`;
}

/** `table as t where …`, true for the rows whose reference is broken; tables without rowid have nothing simpler. */
function conditionOf(db: Database, { table, parent, fkid }: BrokenReference): string {
  const columns = db
    .query<{ from: string; to: string | null }, [string, number]>(
      'select "from", "to" from pragma_foreign_key_list(?1) where id = ?2 order by seq',
    )
    .all(table, fkid);
  const parentKey = primaryKey(db, parent);
  const set = columns.map(({ from }) => `t.${from} is not null`);
  const same = columns.map(({ from, to }, i) => `p.${to ?? parentKey[i]} = t.${from}`);
  return `${table} as t where ${set.join(" and ")} and not exists (select 1 from ${parent} p where ${same.join(" and ")})`;
}

function primaryKey(db: Database, table: string): string[] {
  return db
    .query<{ name: string }, [string]>("select name from pragma_table_info(?1) where pk > 0 order by pk")
    .all(table)
    .map(({ name }) => name);
}

function shown(value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return typeof value === "string" ? JSON.stringify(value.slice(0, maxCharacters)) : "a blob";
}
