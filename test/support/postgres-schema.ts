import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
  return postgres.template(`schema_${checksum}`, (url) =>
    connected(url, (db) => migrateDatabase(db, postgresMigrations, { now: Date.now })),
  );
}

const checksum = Bun.SHA256.hash(JSON.stringify(postgresMigrations), "hex").slice(0, 16);

/**
 * As {@link databaseWithSchema}, for tests that leave the schema as it is: once dropped, the database is emptied for the
 * next one who asks, in any process that uses the server, which takes a tenth of the time of making another.
 */
export async function reusedDatabaseWithSchema(): Promise<ScratchDatabase> {
  const postgres = await sharedPostgres();
  const spare = new SpareDatabases(postgres);
  const database = spare.take() ?? (await databaseWithSchema());
  return {
    ...database,
    async drop() {
      if (await spare.empty(database)) spare.keep(database);
      else await database.drop();
    },
  };
}

/** The emptied databases of a server, each a file that is named like it: whoever removes the file has the database. */
class SpareDatabases {
  constructor(private readonly postgres: PostgresServer) {}

  take(): ScratchDatabase | undefined {
    const name = (existsSync(this.#folder) ? readdirSync(this.#folder) : []).find((name) => this.#remove(name));
    return name === undefined ? undefined : this.postgres.database(name);
  }

  /** Ends the connections to a database and deletes its rows, unless it has grown large or has another schema by now. */
  empty({ name }: ScratchDatabase): Promise<boolean> {
    return this.postgres.asSuperuser(async (sql) => {
      await sql.unsafe(endOthers);
      const [found] = await sql.unsafe(state);
      if (found.size > maxSize || found.schema !== (await this.#schema())) return false;
      await sql.unsafe(emptyAll);
      return true;
    }, name);
  }

  keep({ name }: ScratchDatabase) {
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(join(this.#folder, name), "");
  }

  /** What {@link state} says of the schema of a database that nobody has used. */
  async #schema(): Promise<string> {
    const path = `${this.#folder}.schema`;
    if (!existsSync(path)) {
      const fresh = await databaseWithSchema();
      const [found] = await this.postgres.administer<{ schema: string }>(state, fresh.name);
      await fresh.drop();
      writeFileSync(`${path}.${fresh.name}`, found?.schema ?? "");
      renameSync(`${path}.${fresh.name}`, path);
    }
    return readFileSync(path, "utf8");
  }

  get #folder(): string {
    return join(this.postgres.folder, `spare-${checksum}`);
  }

  /** Whether this process has removed the file, and no other one. */
  #remove(name: string): boolean {
    try {
      unlinkSync(join(this.#folder, name));
      return true;
    } catch (error) {
      if ((error as { code?: string }).code !== "ENOENT") throw error;
      return false;
    }
  }
}

/** Deleted rows keep their place: a database whose tables have grown to this many bytes is slower than another one. */
const maxSize = 30_000_000;

const endOthers = `select count(pg_terminate_backend(pid, 10000)) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

/** The size of a database, and numbers of its tables and indexes that change with the schema. */
const state = `select cast(pg_database_size(current_database()) as double precision) as size,
  concat_ws(' ', count(*), max(oid), sum(relnatts), sum(relchecks), sum(cast(relhastriggers as integer))) as schema
  from pg_class`;

/** Deletes the rows of all tables that have any, in any order. */
const emptyAll = `do $$ declare one regclass; begin
  set local session_replication_role = replica;
  for one in select oid::regclass from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'migration' and pg_relation_size(oid) > 0
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
