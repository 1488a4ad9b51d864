import { log } from "../core/log.ts";
import type { Store } from "../core/store.ts";
import { spaceOf } from "../store/free-space.ts";
import { unusable } from "../store/postgres/database-unusable.ts";
import { Lane, type LaneOptions } from "../store/postgres/lane.ts";
import {
  type DatabaseStatus,
  databaseStatus,
  type MigrationConnection,
  migrateDatabase,
  requireSchema,
} from "../store/postgres/migrate.ts";
import { postgresMigrations } from "../store/postgres/migrations/index.ts";
import { PostgresStore } from "../store/postgres/postgres-store.ts";
import { givesOutSessions, type Pooler, type Reached, reachDatabase } from "../store/postgres/reach-database.ts";
import { SharedLimits } from "../store/postgres/shared-limits.ts";
import { requireClock } from "./clock-offset.ts";
import { Cluster } from "./cluster/cluster.ts";
import { databaseNow, type Query } from "./cluster/connection.ts";
import { DatabaseClock } from "./cluster/database-clock.ts";
import { DutyStore } from "./cluster/duty-store.ts";
import { insertFacts } from "./cluster/fact-writer.ts";
import type { Facts } from "./cluster/facts.ts";
import { formerProcess } from "./cluster/former-process.ts";
import { SharedPasswordThrottle } from "./cluster/shared-password-throttle.ts";
import { SharedRecentRequests } from "./cluster/shared-recent-requests.ts";
import { SharedReplayJobs } from "./cluster/shared-replay-jobs.ts";
import { SharedSetupSecrets } from "./cluster/shared-setup-secrets.ts";
import { SharedUploads } from "./cluster/shared-uploads.ts";
import { makeDataFolder } from "./data-folder.ts";
import { usualConnections } from "./database-connections.ts";
import { filesOf } from "./files-of.ts";
import { DataLock } from "./lock.ts";
import { requireDatabaseNotMoved } from "./moved-database.ts";
import type { Place, PlaceOptions } from "./place.ts";
import { secretKeyFile } from "./place-variables.ts";

const unprepared =
  "the pooler before the database knows of no prepared statements, so the database plans each anew; use pgbouncer 1.21 or newer with max_prepared_statements";
const sessions =
  "the pooler before the database gives out a backend for a whole session, so it needs one for each connection of each process; set pool_mode = transaction";
/** A step of the schema takes as long as it takes. */
const stepMilliseconds = 24 * 3_600_000;

/**
 * Opens a PostgreSQL database for this server and for others beside it, and migrates it. Attachments and what belongs to
 * this process alone are kept in a folder.
 */
export async function openOnDatabase(url: string, data: string, options: PlaceOptions): Promise<Place> {
  const observer = options.observeDatabase?.();
  const folder = makeDataFolder(data);
  const lock = new DataLock(folder, "serve");
  try {
    const { options: connection, pooler } = await reach(url);
    if (pooler) await warnOfPooler(pooler, connection);
    const cluster = new Cluster(connection, observer);
    cluster.ended(formerProcess(folder, cluster.id));
    await withConnection(url, (db) =>
      requireClock(
        (sql) => db.run(sql),
        (text) => log.warn(text),
      ),
    );
    await migrateOnDatabase(url, (text) => log.info(text));
    await cluster.readClock();
    const store = await PostgresStore.open({
      ...options,
      ...(observer ? { observer } : {}),
      connection,
      connections: (options.databaseConnections ?? usualConnections) - 1,
      onFewer: warnOfFewer(),
    });
    await store.warm();
    const query: Query = (sql, params = [], how) => store.query(sql, params, how) as never;
    const limits = new SharedLimits(query, observer ? { observer } : {});
    const passwords = new SharedPasswordThrottle(query);
    const uploads = new SharedUploads(query, cluster.id);
    const replayJobs = new SharedReplayJobs(query, cluster.id);
    const recentRequests = new SharedRecentRequests(query, cluster);
    return {
      store,
      files: filesOf(folder),
      folder,
      secretKey: secretKeyFile(folder),
      peers: cluster,
      duty: (name, work) => cluster.duties.of(name, work),
      storeOfDuty: (name) => new DutyStore(store, name, cluster.id),
      now: cluster.clock.now,
      trouble: cluster.trouble,
      limits: limits.of,
      passwords,
      uploads,
      replayJobs,
      setupSecrets: new SharedSetupSecrets(query),
      othersRequests: recentRequests,
      work: [limits, passwords, uploads, recentRequests, replayJobs.writingEnds],
      keptLog: undefined,
      outsideVersion: () => cluster.losses,
      space: spaceOf(folder),
      databaseBytes: () => sizeOfDatabase(store),
      gauges: { lanes: () => ({ ...store.lanes(), peers: cluster.lanes() }) },
      serving(urls) {
        lock.serving(urls);
        cluster.serving(urls.url);
      },
      release: () => lock.release(),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function warnOfPooler(pooler: Pooler, connection: LaneOptions) {
  if (!pooler.prepares) log.warn(unprepared);
  if (await givesOutSessions(connection)) log.warn(sessions);
}

/** Says so once in a while: the server is asked for more again and again. */
function warnOfFewer(): () => void {
  let saidAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - saidAt < fewerMilliseconds) return;
    saidAt = now;
    log.warn(
      "the database gives out fewer connections than this process may open; raise max_connections, start with fewer --database-connections, or put pgbouncer between",
    );
  };
}
const fewerMilliseconds = 60_000;

/** Gives a command the store of a database that is migrated already, beside the servers, and the database's time. */
export async function withDatabase<T>(url: string, work: (store: Store, now: () => number) => Promise<T>): Promise<T> {
  const clock = new DatabaseClock();
  await withConnection(url, async (connection) => {
    await requireDatabaseNotMoved(connection);
    await requireSchema(connection, postgresMigrations);
    const sent = performance.now();
    const [row] = await connection.run<{ at: number }>(`select ${databaseNow} as at`);
    clock.told(row?.at ?? 0, sent, performance.now());
  });
  let changed = false;
  const store = await PostgresStore.open({
    connection: (await reach(url)).options,
    connections: 4,
    onCommit: () => {
      changed = true;
    },
  });
  try {
    return await work(store, clock.now);
  } finally {
    await store.close();
    if (changed) await tellServers(url);
  }
}

/** Tells the servers that a command has changed something: their pages look at everything again. */
async function tellServers(url: string): Promise<void> {
  const facts: Facts = "resync";
  await withConnection(url, (connection) =>
    connection.run(insertFacts, [crypto.randomUUID(), 1, JSON.stringify(facts)]),
  ).catch((error) => log.warn("open pages were not told what changed", { error }));
}

export function migrateOnDatabase(
  url: string,
  progress: (text: string) => void,
  { contract = false } = {},
): Promise<void> {
  return withConnection(url, async (connection) => {
    await requireDatabaseNotMoved(connection);
    await migrateDatabase(connection, postgresMigrations, { now: () => Date.now(), progress, contract });
    await requireSchema(connection, postgresMigrations);
  });
}

export function statusOnDatabase(url: string): Promise<DatabaseStatus> {
  return withConnection(url, (connection) => databaseStatus(connection, postgresMigrations));
}

/** One connection, for what needs no store. */
export async function withConnection<T>(
  url: string,
  work: (connection: MigrationConnection) => Promise<T>,
): Promise<T> {
  const { options } = await reach(url);
  const lane = await Lane.open(options).catch((error: unknown) => {
    throw unusable(error);
  });
  try {
    return await work({
      async run(sql, params) {
        return (await lane.query(sql, params, stepMilliseconds)).rows as never;
      },
    });
  } finally {
    lane.close();
  }
}

/** As {@link withConnection}; also says whether a pooler stands before the database. */
export async function withReached<T>(
  url: string,
  work: (connection: MigrationConnection, reached: Reached) => Promise<T>,
): Promise<T> {
  const reached = await reach(url);
  return withConnection(url, (connection) => work(connection, reached));
}

/** Looked at once: a pooler before a database does not come and go. */
function reach(url: string): Promise<Reached> {
  const known = reached.get(url);
  if (known) return known;
  const looking = reachDatabase(url);
  reached.set(url, looking);
  looking.catch(() => reached.delete(url));
  return looking;
}
const reached = new Map<string, Promise<Reached>>();

async function sizeOfDatabase(store: PostgresStore): Promise<number> {
  const row = await store.one<{ bytes: number }>("select pg_database_size(current_database()) as bytes");
  return row?.bytes ?? 0;
}
