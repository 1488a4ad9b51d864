import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Context, operator } from "../../server/core/context.ts";
import { idMaker } from "../../server/core/ids.ts";
import { createOrganisation } from "../../server/organisation/create-organisation.ts";
import { databasePath, migrate } from "../../server/store/migrate.ts";
import { migrations } from "../../server/store/migrations/index.ts";
import { SqliteStore } from "../../server/store/sqlite.ts";

/** A data directory with an organisation, opened as the operator's command line does beside a live server. */
export interface Installation {
  folder: string;
  made: Awaited<ReturnType<typeof createOrganisation>>;
  /** A context like that of the command line, with a connection of its own. */
  ctx: Context;
  remove(): Promise<void>;
}

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

export async function install(): Promise<Installation> {
  const folder = temporaryFolder();
  prepareDatabase(folder);
  const store = new SqliteStore(databasePath(folder), {
    busyMs: 5_000,
    onFatal: (error) => {
      throw error;
    },
  });
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
    made,
    ctx,
    async remove() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
