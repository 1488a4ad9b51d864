import { Database } from "bun:sqlite";
import { databasePath } from "../../server/store/migrate.ts";
import type { Installation } from "./installation.ts";

/** Holds the database's lock while `act` runs, as another process would. */
export async function whileLocked<T>(installation: Installation, act: () => Promise<T>): Promise<T> {
  const db = besides(installation);
  db.run("begin immediate");
  try {
    return await act();
  } finally {
    db.run("rollback");
    db.close();
  }
}

/** Renames a table while `act` runs: an unexpected fault. */
export async function withoutTable<T>(installation: Installation, table: string, act: () => Promise<T>): Promise<T> {
  const db = besides(installation);
  db.run("pragma legacy_alter_table = on");
  const rename = (from: string, to: string) => db.run(`alter table ${from} rename to ${to}`);
  rename(table, `${table}_away`);
  try {
    return await act();
  } finally {
    rename(`${table}_away`, table);
    db.close();
  }
}

/** A connection beside the server's, which waits while the server writes. */
function besides({ folder }: Installation): Database {
  const db = new Database(databasePath(folder));
  db.run("pragma busy_timeout = 5000");
  return db;
}
