import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Context, operator } from "../../server/core/context.ts";
import { idMaker } from "../../server/core/ids.ts";
import type { Store } from "../../server/core/store.ts";
import { createOrganisation } from "../../server/organisation/create-organisation.ts";
import { databasePath, migrate } from "../../server/store/migrate.ts";
import { migrations } from "../../server/store/migrations/index.ts";
import { readDatabaseUrl } from "../../server/store/postgres/connection.ts";
import { PostgresStore } from "../../server/store/postgres/postgres-store.ts";
import { SqliteStore } from "../../server/store/sqlite.ts";
import { databases } from "./databases.ts";
import { databaseWithSchema } from "./postgres-schema.ts";

/** A data directory with an organisation, opened as the operator's command line does beside a live server. */
export interface Installation {
  folder: string;
  /** The PostgreSQL database beside the directory; undefined where all is kept in the directory. */
  databaseUrl: string | undefined;
  made: Awaited<ReturnType<typeof createOrganisation>>;
  /** A context like that of the command line, with a connection of its own. */
  ctx: Context;
  remove(): Promise<void>;
}

/** Whether installations of this process keep their rows on PostgreSQL. */
const onPostgres = process.env["INTAKE_TEST_STORE"] === "postgres";

/** A copy of the database after the migrations, once they have run. */
let empty: Uint8Array | undefined;

/**
 * The migrations run for the first installation of a test file; further installations begin with a copy of its
 * database.
 */
function prepareDatabase(folder: string) {
  if (empty) return writeFileSync(databasePath(folder), empty);
  migrate(folder, migrations);
  empty = readFileSync(databasePath(folder));
}

const adminPassword = "correct horse battery";
/** The hash of that password at the server's cost, which takes a quarter of a second of processor time. */
const adminHash =
  "$argon2id$v=19$m=65536,t=3,p=1$eYIvXM39mIZSV/NYNJvw98P96CF+MiOIzqLoYyMLU8Y$KxEJ41zCVX30vJocghZyQdaHtGGhOGoQrgwKk6CD8/Q";

const { hash } = Bun.password;

/** Only the admin's password gets the prepared hash; all others are hashed as usual. */
async function withoutHashing<T>(work: () => Promise<T>): Promise<T> {
  const known: typeof hash = (password, cost) =>
    password === adminPassword ? Promise.resolve(adminHash) : hash(password, cost);
  Object.assign(Bun.password, { hash: known });
  return work().finally(() => Object.assign(Bun.password, { hash }));
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "intake-test-"));
}

interface OpenStore {
  store: Store;
  databaseUrl: string | undefined;
  removeStore(): Promise<void>;
}

async function openSqlite(folder: string): Promise<OpenStore> {
  prepareDatabase(folder);
  const store = new SqliteStore(databasePath(folder), {
    busyMs: 5_000,
    onFatal: (error) => {
      throw error;
    },
  });
  return { store, databaseUrl: undefined, async removeStore() {} };
}

async function openPostgres(folder: string): Promise<OpenStore> {
  const { url, drop } = await databaseWithSchema();
  databases.set(folder, url);
  const store = await PostgresStore.open({ connection: readDatabaseUrl(url), connections: 4 });
  return { store, databaseUrl: url, removeStore: drop };
}

export async function install(): Promise<Installation> {
  const folder = temporaryFolder();
  const { store, databaseUrl, removeStore } = await (onPostgres ? openPostgres(folder) : openSqlite(folder));
  const now = () => Date.now();
  const ctx: Context = {
    store,
    actor: operator,
    now,
    newId: idMaker(now),
    publicUrl: { fallback: "http://127.0.0.1:3000" },
  };
  const made = await withoutHashing(() =>
    createOrganisation({ ctx, input: { organisation: "Example", adminEmail: "admin@example.org", adminPassword } }),
  );
  return {
    folder,
    databaseUrl,
    made,
    ctx,
    async remove() {
      await store.close();
      await removeStore();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
