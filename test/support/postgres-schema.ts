import { SQL } from "bun";
import type { Row, Value } from "../../server/core/store.ts";
import { type MigrationConnection, migrateDatabase } from "../../server/store/postgres/migrate.ts";
import { postgresMigrations } from "../../server/store/postgres/migrations/index.ts";
import { type PostgresServer, type ScratchDatabase, sharedPostgres } from "./postgres.ts";

/** A database with the newest schema and no rows. */
export async function databaseWithSchema(): Promise<ScratchDatabase> {
  const postgres = await sharedPostgres();
  template ??= newestSchema(postgres);
  return postgres.createDatabase({ template: await template });
}
let template: Promise<string> | undefined;

function newestSchema(postgres: PostgresServer): Promise<string> {
  const checksum = Bun.SHA256.hash(JSON.stringify(postgresMigrations), "hex").slice(0, 16);
  return postgres.template(`schema_${checksum}`, (url) =>
    connected(url, (db) => migrateDatabase(db, postgresMigrations, { now: Date.now })),
  );
}

/**
 * As {@link databaseWithSchema}, for tests that leave the schema as it is: once dropped, the database is emptied for the
 * next one who asks in this process, which takes a tenth of the time of making another.
 */
export async function reusedDatabaseWithSchema(): Promise<ScratchDatabase> {
  const database = spare.pop() ?? (await databaseWithSchema());
  return {
    ...database,
    async drop() {
      const postgres = await sharedPostgres();
      const [found] = await postgres.administer<{ large: boolean }>(
        `select pg_database_size('${database.name}') > 30000000 as large, count(pg_terminate_backend(pid, 10000)) as ended
         from pg_stat_activity where datname = '${database.name}'`,
      );
      if (found?.large) return database.drop();
      await postgres.administer(emptyAll, database.name);
      spare.push(database);
    },
  };
}
const spare: ScratchDatabase[] = [];

/** Empties all tables, in any order. */
const emptyAll = `do $$ declare one regclass; begin
  set local session_replication_role = replica;
  for one in select oid::regclass from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'migration'
  loop execute format('delete from %s', one); end loop;
end $$`;

/** Runs work on one connection. */
export async function connected<T>(url: string, work: (db: MigrationConnection) => Promise<T>): Promise<T> {
  const sql = new SQL(url, { max: 1 });
  const reserved = await sql.reserve();
  try {
    return await work({
      run: async <R extends Row>(text: string, params?: readonly Value[]) =>
        [...(params ? await reserved.unsafe(text, [...params]) : await reserved.unsafe(text).simple())] as R[],
    });
  } finally {
    reserved.release();
    await sql.close();
  }
}
