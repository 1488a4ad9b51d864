import type { Reader } from "../../core/store.ts";

/** Tables that full-text search keeps for itself have no rows of their own meaning. */
const tables = {
  sqlite: `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'
    and sql not like 'CREATE VIRTUAL%' and name not like 'card_search_%' and name not like 'report_text_%' order by name`,
  postgres: `select cast(tablename as text) as name from pg_tables where schemaname = current_schema() order by tablename`,
};

/** How many rows each table has. */
export async function countRows(reader: Reader): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name } of await reader.all<{ name: string }>(tables)) {
    const row = await reader.one<{ count: number }>(
      `select cast(count(*) as double precision) as count from "${name.replaceAll('"', '""')}"`,
    );
    counts[name] = row?.count ?? 0;
  }
  return counts;
}
