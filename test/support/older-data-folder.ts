import type { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { databasePath, migrate } from "../../server/store/migrate.ts";
import { migrations } from "../../server/store/migrations/index.ts";
import { openDatabase } from "../../server/store/open-database.ts";

/** Makes a data directory with an older schema and one empty column, and opens its database. */
export function olderDataFolder(data: string, schema: number): Database {
  mkdirSync(data, { mode: 0o700 });
  migrate(
    data,
    migrations.filter(({ number }) => number <= schema),
  );
  const db = openDatabase(databasePath(data));
  db.run("insert into organisation (id, name, created_at) values ('o', 'Example', 0)");
  db.run("insert into project (id, name, position, created_at) values ('p', 'P', 1, 0)");
  db.run("insert into board (id, project_id, name, position, created_at) values ('b', 'p', 'B', 1, 0)");
  db.run("insert into board_column (id, board_id, name, position, created_at) values ('c', 'b', 'C', 1, 0)");
  return db;
}
