import { databaseUrl } from "../../server/app/place-variables.ts";
import type { Store } from "../../server/core/store.ts";
import { databasePath } from "../../server/store/migrate.ts";
import { SqliteStore } from "../../server/store/sqlite.ts";
import { databases } from "./databases.ts";

/**
 * The store of a data directory, with connections of its own, as a command beside the server has it. The database is the
 * one of the directory, or the one that the environment names, as for a command.
 */
export async function openStore(folder: string, { busyMs = 5_000 } = {}): Promise<Store> {
  const url = databases.get(folder) ?? databaseUrl();
  if (url !== undefined) {
    const { readDatabaseUrl } = await import("../../server/store/postgres/connection.ts");
    const { PostgresStore } = await import("../../server/store/postgres/postgres-store.ts");
    return PostgresStore.open({ connection: readDatabaseUrl(url), connections: 4 });
  }
  return new SqliteStore(databasePath(folder), {
    busyMs,
    onFatal: (error) => {
      throw error;
    },
  });
}

/** Looks at what is stored for a data directory, or changes it, past the server. */
export async function withStoreOf<T>(folder: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(folder);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
