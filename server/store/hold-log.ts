import { databasePath } from "./migrate.ts";
import { openDatabase } from "./open-database.ts";
import { spooledUpTo } from "./spool-folder.ts";

/**
 * Keeps the write-ahead log as it is while a server starts: closing the only connection, as an upgrade of the schema
 * does, would copy frames into the database that the spool does not have. Undefined when nothing was spooled. To be
 * released once the spool holds the log itself.
 */
export function holdLog(data: string): { release(): void } | undefined {
  if (!spooledUpTo(data)) return undefined;
  const db = openDatabase(databasePath(data));
  db.run("begin");
  db.query("select count(*) from sqlite_schema").all();
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      db.run("rollback");
      db.close();
    },
  };
}
