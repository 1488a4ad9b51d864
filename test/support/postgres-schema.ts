import { SQL } from "bun";
import type { Row, Value } from "../../server/core/store.ts";
import { type MigrationConnection, migrateDatabase } from "../../server/store/postgres/migrate.ts";
import { postgresMigrations } from "../../server/store/postgres/migrations/index.ts";
import { type ScratchDatabase, sharedPostgres } from "./postgres.ts";

/** A database with the newest schema and no rows. */
export async function databaseWithSchema(): Promise<ScratchDatabase> {
  const postgres = await sharedPostgres();
  const checksum = Bun.SHA256.hash(JSON.stringify(postgresMigrations), "hex").slice(0, 16);
  const template = await postgres.template(`schema_${checksum}`, (url) =>
    connected(url, (db) => migrateDatabase(db, postgresMigrations, { now: Date.now })),
  );
  return postgres.createDatabase({ template });
}

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
