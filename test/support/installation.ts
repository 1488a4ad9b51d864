import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Context, operator } from "../../server/core/context.ts";
import { idMaker } from "../../server/core/ids.ts";
import { createOrganisation } from "../../server/organisation/create-organisation.ts";
import { databasePath, migrate } from "../../server/store/migrate.ts";
import { migrations } from "../../server/store/migrations/index.ts";
import { SqliteStore } from "../../server/store/sqlite.ts";

/** A data directory with an organisation in it, and the operator's hands on it, as beside a live server. */
export interface Installation {
  folder: string;
  made: Awaited<ReturnType<typeof createOrganisation>>;
  /** Works like the command line: a connection of its own. */
  ctx: Context;
  remove(): Promise<void>;
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "intake-test-"));
}

export async function install(): Promise<Installation> {
  const folder = temporaryFolder();
  migrate(folder, migrations);
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
  const made = await createOrganisation({
    ctx,
    input: { organisation: "Example", adminEmail: "admin@example.org", adminPassword: "correct horse battery" },
  });
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
