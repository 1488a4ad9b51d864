import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Context, operator } from "../../server/core/context.ts";
import { idMaker } from "../../server/core/ids.ts";
import { createOrganisation } from "../../server/organisation/create-organisation.ts";
import { databasePath, migrate } from "../../server/store/migrate.ts";
import { migrations } from "../../server/store/migrations/index.ts";
import { auditMessages } from "../../server/webhooks/deliveries/enqueue-audit.ts";
import { databases, onPostgres } from "./databases.ts";
import { openStore } from "./open-store.ts";
import type { ScratchDatabase } from "./postgres.ts";
import { temporaryFolder } from "./temporary-folder.ts";

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

/**
 * Makes a SQLite database with the newest schema and no rows. The migrations run for the first one of all test files;
 * further ones are copies of it.
 */
export function prepareDatabase(folder: string) {
  empty ??= existsSync(kept) ? readFileSync(kept) : undefined;
  if (empty) return writeFileSync(databasePath(folder), empty);
  migrate(folder, migrations);
  empty = readFileSync(databasePath(folder));
  // Another process may keep or read one at this moment.
  mkdirSync(dirname(kept), { recursive: true });
  const unfinished = `${kept}.${crypto.randomUUID()}`;
  writeFileSync(unfinished, empty);
  renameSync(unfinished, kept);
}
let empty: Uint8Array | undefined;

/** The database after the migrations, for the test files that come later. Its name has all that made it. */
const kept = join(import.meta.dir, `../../dist/test-database-${checksumOf([Bun.version, migrations])}.db`);

function checksumOf(value: unknown): string {
  const maker = readFileSync(join(import.meta.dir, "../../server/store/migrate.ts"), "utf8");
  return Bun.SHA256.hash(maker + JSON.stringify(value), "hex").slice(0, 16);
}

export const adminPassword = "correct horse battery";
/** The hash of that password at the server's cost, which takes a quarter of a second of processor time. */
export const adminHash =
  "$argon2id$v=19$m=65536,t=3,p=1$eYIvXM39mIZSV/NYNJvw98P96CF+MiOIzqLoYyMLU8Y$KxEJ41zCVX30vJocghZyQdaHtGGhOGoQrgwKk6CD8/Q";

/** Only the admin's password gets the prepared hash; all others are hashed as usual. */
async function withoutHashing<T>(work: () => Promise<T>): Promise<T> {
  const { hash } = Bun.password;
  const known: typeof hash = (password, cost) =>
    password === adminPassword ? Promise.resolve(adminHash) : hash(password, cost);
  Object.assign(Bun.password, { hash: known });
  return work().finally(() => Object.assign(Bun.password, { hash }));
}

/** Number of the newest step of the schema that this installation's engine has. */
export const newestSchema = (
  onPostgres ? (await import("../../server/store/postgres/migrations/index.ts")).postgresMigrations : migrations
).at(-1)?.number;

/** A data directory that no command has used yet. On PostgreSQL an empty database belongs to it. */
export async function newDataFolder(folder = temporaryFolder()): Promise<DataFolder> {
  if (!onPostgres) return withDatabase(folder, undefined);
  const { sharedPostgres } = await import("./postgres.ts");
  return withDatabase(folder, await (await sharedPostgres()).createDatabase());
}

/** A data directory with the newest schema and no rows. */
async function migratedDataFolder(): Promise<DataFolder> {
  const folder = temporaryFolder();
  if (onPostgres) {
    // What is about PostgreSQL takes as long to load as all the rest of this module, which most test files use without.
    const { reusedDatabaseWithSchema } = await import("./postgres-schema.ts");
    return withDatabase(folder, await reusedDatabaseWithSchema());
  }
  prepareDatabase(folder);
  return withDatabase(folder, undefined);
}

export interface DataFolder {
  folder: string;
  databaseUrl: string | undefined;
  remove(): Promise<void>;
}

function withDatabase(folder: string, database: ScratchDatabase | undefined): DataFolder {
  if (database) databases.set(folder, database.url);
  return {
    folder,
    databaseUrl: database?.url,
    async remove() {
      rmSync(folder, { recursive: true, force: true });
      await database?.drop();
    },
  };
}

export async function install(): Promise<Installation> {
  const { folder, databaseUrl, remove } = await migratedDataFolder();
  const store = await openStore(folder);
  const now = () => Date.now();
  const newId = idMaker(now);
  const ctx: Context = {
    store,
    actor: operator,
    now,
    newId,
    audited: auditMessages({ now, newId }),
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
      await remove();
    },
  };
}
