import { Database } from "bun:sqlite";
import { databasePath } from "../../server/store/migrate.ts";
import type { Installation } from "./installation.ts";
import { connected } from "./postgres-schema.ts";
import { until } from "./until.ts";

/** Lets nothing be written while `act` runs, as another process would that holds a lock for long; reads go on. */
export async function whileLocked<T>({ folder, databaseUrl }: Installation, act: () => Promise<T>): Promise<T> {
  if (databaseUrl !== undefined) return whileTablesLocked(databaseUrl, act);
  const db = besides(folder);
  db.run("begin immediate");
  try {
    return await act();
  } finally {
    db.run("rollback");
    db.close();
  }
}

/** SQLSTATE of a lock that is held by somebody else. */
const lockNotAvailable = "55P03";

function whileTablesLocked<T>(databaseUrl: string, act: () => Promise<T>): Promise<T> {
  return connected(databaseUrl, async (db) => {
    const tables = await db.run<{ name: string }>(
      "select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r' and relpersistence = 'p'",
    );
    const lock = `lock table ${tables.map(({ name }) => name).join(", ")} in exclusive mode nowait`;
    // Whoever waits for one table with locks of others may be what the server's own work waits for.
    await until(async () => {
      await db.run("begin");
      try {
        return await db.run(lock).then(() => true);
      } catch (error) {
        if ((error as { errno?: string }).errno !== lockNotAvailable) throw error;
        await db.run("rollback");
        return undefined;
      }
    });
    try {
      return await act();
    } finally {
      await db.run("rollback");
    }
  });
}

/** Renames a table while `act` runs: an unexpected fault. */
export async function withoutTable<T>(
  { folder, databaseUrl }: Installation,
  table: string,
  act: () => Promise<T>,
): Promise<T> {
  const rename = (from: string, to: string) => `alter table ${from} rename to ${to}`;
  const [away, back] = [rename(table, `${table}_away`), rename(`${table}_away`, table)];
  if (databaseUrl !== undefined) {
    return connected(databaseUrl, async (db) => {
      await db.run(away);
      return act().finally(() => db.run(back));
    });
  }
  const db = besides(folder);
  db.run("pragma legacy_alter_table = on");
  db.run(away);
  try {
    return await act();
  } finally {
    db.run(back);
    db.close();
  }
}

/** A connection beside the server's, which waits while the server writes. */
function besides(folder: string): Database {
  const db = new Database(databasePath(folder));
  db.run("pragma busy_timeout = 5000");
  return db;
}
