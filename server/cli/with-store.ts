import { type Context, operator } from "../access/context.ts";
import { idMaker } from "../access/ids.ts";
import { requireDataFolder } from "../ops/data-folder.ts";
import { readHolder } from "../ops/lock.ts";
import { Ballast } from "../store/ballast.ts";
import { databasePath, requireCurrent } from "../store/migrate.ts";
import { migrations } from "../store/migrations/index.ts";
import { diskFull, SqliteStore } from "../store/sqlite.ts";
import { StoreUnavailable } from "../store/store.ts";

const defaultUrl = "http://127.0.0.1:3000";

/** Gives a command the store of a data directory, beside a live server or without one. */
export async function withStore<T>(data: string, work: (ctx: Context) => Promise<T>): Promise<T> {
  const folder = requireDataFolder(data);
  requireCurrent(folder, migrations);
  try {
    return await withOpenStore(folder, work);
  } catch (error) {
    // On a full disk the ballast makes room for a delete. The server makes it again once there is space.
    const full = error instanceof StoreUnavailable && error.message === diskFull;
    if (!full || !new Ballast(folder).giveUp()) throw error;
    return withOpenStore(folder, work);
  }
}

async function withOpenStore<T>(folder: string, work: (ctx: Context) => Promise<T>): Promise<T> {
  const store = openForCommand(folder);
  try {
    return await work(operatorContext(folder, store));
  } finally {
    await store.close();
  }
}

export function openForCommand(folder: string): SqliteStore {
  return new SqliteStore(databasePath(folder), {
    busyMs: 5_000,
    onFatal: (error) => {
      throw error;
    },
  });
}

export function operatorContext(folder: string, store: SqliteStore): Context {
  const now = () => Date.now();
  const holder = readHolder(folder);
  const fixed = holder?.publicUrl ?? process.env["INTAKE_PUBLIC_URL"];
  return {
    store,
    actor: operator,
    now,
    newId: idMaker(now),
    publicUrl: { fixed, fallback: holder?.url ?? defaultUrl },
  };
}
