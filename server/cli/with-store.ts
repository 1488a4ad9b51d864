import { makeDataFolder, requireDataFolder } from "../app/data-folder.ts";
import { readHolder } from "../app/lock.ts";
import { databaseUrl, secretKeyFile } from "../app/place-variables.ts";
import { type Context, operator } from "../core/context.ts";
import { idMaker } from "../core/ids.ts";
import { openSealing } from "../core/open-sealing.ts";
import type { Sealing } from "../core/sealing.ts";
import { readPublicUrl } from "../core/settings.ts";
import { type Store, StoreUnavailable } from "../core/store.ts";
import { EnvelopeReader } from "../envelope/envelope-reader.ts";
import { Ballast } from "../store/ballast.ts";
import type { Files } from "../store/files.ts";
import { LocalFiles } from "../store/local-files.ts";
import { databasePath, requireCurrent } from "../store/migrate.ts";
import { migrations } from "../store/migrations/index.ts";
import { SqliteStore } from "../store/sqlite.ts";
import { diskFull, isFull } from "../store/sqlite-errors.ts";
import { auditMessages } from "../webhooks/deliveries/enqueue-audit.ts";
import { ingestUrlFromEnvironment, publicUrlFromEnvironment } from "./public-url.ts";

const defaultUrl = "http://127.0.0.1:3000";

/** Gives a command the store of a data directory, beside a live server or without one. */
export async function withStore<T>(data: string, work: (ctx: Context) => Promise<T>): Promise<T> {
  const database = databaseUrl();
  if (database !== undefined) {
    const { withDatabase } = await import("../app/on-database.ts");
    return withDatabase(database, (store, now) => work(operatorContext(data, store, now)));
  }
  const folder = requireDataFolder(data);
  try {
    return await withFolderStore(folder, work);
  } catch (error) {
    // On a full disk the ballast makes room for a delete. The server makes it again once there is space.
    if (!isDiskFull(error) || !new Ballast(folder).giveUp()) throw error;
    return withFolderStore(folder, work);
  }
}

/** Whether the disk is full. Then opening the database may fail too, because the index of its log needs room. */
export function isDiskFull(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  return isFull(code ?? "") || (error instanceof StoreUnavailable && message === diskFull);
}

/** As {@link withStore} in a data directory, without the room that is kept for deletes on a full disk. */
export async function withFolderStore<T>(folder: string, work: (ctx: Context) => Promise<T>): Promise<T> {
  requireCurrent(folder, migrations);
  const store = openForCommand(folder);
  try {
    return await work(operatorContext(folder, store));
  } finally {
    await store.close();
  }
}

function openForCommand(folder: string): SqliteStore {
  return new SqliteStore(databasePath(folder), {
    busyMs: 5_000,
    onFatal: (error) => {
      const { code = "" } = error as { code?: string };
      process.stderr.write(`intake: the database cannot be trusted (${code}); run \`intake doctor\`\n`);
      process.exit(1);
    },
  });
}

/**
 * Gives a command what it needs to handle events beside the store: the files of attachments, and a reader for large
 * envelopes.
 */
export async function withEvents<T>(
  data: string,
  work: (ctx: Context, tools: { files: Files; reader: EnvelopeReader }) => Promise<T>,
): Promise<T> {
  const reader = new EnvelopeReader();
  try {
    const files = await filesAt(data);
    return await withStore(data, (ctx) => work(ctx, { files, reader }));
  } finally {
    reader.close();
  }
}

/** Gives a command the sealing key with which secrets of subscribers are stored. */
export async function withSealing<T>(
  data: string,
  work: (ctx: Context, tools: { sealing: Sealing }) => Promise<T>,
): Promise<T> {
  const folder = usedFolder(data);
  return withStore(data, async (ctx) =>
    work(ctx, { sealing: await openSealing(folder, ctx.store, secretKeyFile(folder)) }),
  );
}

/** Where apps send reports, as far as a command beside the server can know. */
export async function ingestUrlOf(data: string, ctx: Context): Promise<string> {
  const holder = readHolder(usedFolder(data));
  return holder?.ingestUrl ?? ingestUrlFromEnvironment() ?? (await readPublicUrl(ctx.store, ctx.publicUrl));
}

function operatorContext(folder: string, store: Store, now = () => Date.now()): Context {
  const holder = readHolder(folder);
  const fixed = holder?.publicUrl ?? publicUrlFromEnvironment();
  const newId = idMaker(now);
  return {
    store,
    actor: operator,
    now,
    newId,
    audited: auditMessages({ now, newId }),
    publicUrl: { fixed, fallback: holder?.url ?? defaultUrl },
  };
}

/** The folder of a command: with a database there need be nothing in it. */
export function usedFolder(data: string): string {
  return databaseUrl() === undefined ? requireDataFolder(data) : makeDataFolder(data);
}

async function filesAt(data: string): Promise<Files> {
  if (databaseUrl() === undefined) return new LocalFiles(requireDataFolder(data));
  const { filesOf } = await import("../app/files-of.ts");
  return filesOf(usedFolder(data));
}
