import type { Lane } from "./lane.ts";
import type { Column, Columns } from "./merge-inserts.ts";

interface ColumnRow {
  table_name: string;
  column_name: string;
  type: string;
  is_unique: boolean;
}

/** Reads the columns of all tables, with their types and whether a unique index has them. */
export async function readColumns(lane: Lane): Promise<Columns> {
  const { rows } = await lane.query(
    `select c.relname as table_name, a.attname as column_name, format_type(a.atttypid, null) as type,
       exists (select 1 from pg_index i
               where i.indrelid = c.oid and i.indisunique and a.attnum = any(i.indkey)) as is_unique
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0
       and not a.attisdropped and a.attgenerated = ''`,
  );
  const columns = new Map<string, Map<string, Column>>();
  for (const { table_name, column_name, type, is_unique } of rows as unknown as ColumnRow[]) {
    const table = columns.get(table_name) ?? new Map<string, Column>();
    columns.set(table_name, table.set(column_name, { type, isUnique: is_unique }));
  }
  return columns;
}
