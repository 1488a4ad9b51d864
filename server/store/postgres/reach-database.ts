import { readDatabaseUrl } from "./connection.ts";
import { DatabaseUnusable, unusable } from "./database-unusable.ts";
import { isUnknownStartupParameter, isWithoutTransactions } from "./errors.ts";
import { Lane, type LaneOptions } from "./lane.ts";

/**
 * What stands between this process and the server: nothing that can be seen, or a pooler such as pgbouncer, whose
 * connections have another backend in each transaction.
 */
export interface Reached {
  options: LaneOptions;
  pooler: Pooler | undefined;
}

export interface Pooler {
  /** Whether statements that a connection has prepared are there on whichever backend it has. */
  prepares: boolean;
}

/** A server of PostgreSQL's takes a parameter of any name with a dot. A pooler refuses or drops it. */
const mark = "intake.connection";

const noBackend =
  "the pooler before the database has no backend for a second connection; set pool_mode = transaction, or give it a larger pool";
const noTransactions =
  "the pooler before the database gives out a backend for each statement, which allows no transactions; set pool_mode = transaction";

/**
 * Looks how the database is reached, with connections that are closed again. Through a pooler each transaction is told
 * the settings that a direct connection is opened with, and statements are prepared only where the pooler knows of them
 * (pgbouncer 1.21 and newer with `max_prepared_statements`): others would run into those of other processes.
 */
export async function reachDatabase(url: string): Promise<Reached> {
  const direct = readDatabaseUrl(url);
  const { application_name, TimeZone, ...settings } = direct.connection as Record<string, string>;
  if (await isMarked({ ...direct, connection: { ...direct.connection, [mark]: "1" } })) {
    return { options: direct, pooler: undefined };
  }
  const pooled: LaneOptions = {
    ...direct,
    connection: { application_name: application_name as string, TimeZone: TimeZone as string },
    eachTransaction: Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`),
  };
  const prepares = await hasTrackedStatements(pooled);
  return { options: { ...pooled, prepare: prepares }, pooler: { prepares } };
}

async function isMarked(options: LaneOptions): Promise<boolean> {
  try {
    return await withLane(options, async (lane) => {
      const { rows } = await lane.query(`select current_setting('${mark}', true) as mark`);
      return rows[0]?.["mark"] === "1";
    });
  } catch (error) {
    if (isUnknownStartupParameter(error)) return false;
    throw error;
  }
}

/** A pooler that knows of prepared statements gives them names of its own on the server. */
async function hasTrackedStatements(options: LaneOptions): Promise<boolean> {
  return withLane(options, async (lane) => {
    try {
      await lane.begin();
      // A parameter makes the driver prepare it.
      const text = "select cast($1 as text) as asked";
      await lane.query(text, ["prepared"]);
      const { rows } = await lane.query("select name, statement from pg_prepared_statements");
      const own = rows.filter(({ statement }) => statement === text).map(({ name }) => String(name));
      if (own.some((name) => name.startsWith("PGBOUNCER_"))) {
        await lane.commit();
        return true;
      }
      // The backend is given to others.
      for (const name of own) await lane.query(`deallocate "${name}"`);
      await lane.commit();
      return false;
    } catch (error) {
      if (isWithoutTransactions(error)) throw new DatabaseUnusable(noTransactions, { cause: error });
      if (lane.lost !== undefined) throw error;
      // Another process has prepared a statement under that name, so the pooler does not tell them apart.
      await lane.query("rollback");
      return false;
    }
  });
}

/** Whether a pooler gives out a backend for as long as a connection lasts: two connections never have the same one. */
export async function givesOutSessions(options: LaneOptions): Promise<boolean> {
  return withLane(options, (one) =>
    withLane(options, async (other) => {
      await one.query("select 1");
      await other.query("select 1").catch((error: unknown) => {
        throw new DatabaseUnusable(noBackend, { cause: error });
      });
      const backends = new Map<string, Lane>();
      for (let i = 0; i < looks; i++) {
        for (const lane of [one, other]) {
          const { rows } = await lane.query("select pg_backend_pid() as pid");
          const backend = String(rows[0]?.["pid"]);
          const known = backends.get(backend);
          if (known && known !== lane) return false;
          backends.set(backend, lane);
        }
      }
      return backends.size === 2;
    }),
  );
}
const looks = 5;

/** A pooler that has no backend to give makes a statement wait for minutes. */
const patience = { statement: 3_000, commit: 3_000 } as const;
const lookMilliseconds = 250;

async function withLane<T>(options: LaneOptions, work: (lane: Lane) => Promise<T>): Promise<T> {
  const lane = await Lane.open(options, patience).catch((error: unknown) => {
    throw isUnknownStartupParameter(error) ? error : unusable(error);
  });
  const looking = setInterval(() => lane.look(performance.now()), lookMilliseconds);
  try {
    return await work(lane);
  } catch (error) {
    throw lane.lost === undefined || error instanceof DatabaseUnusable ? error : unusable(error);
  } finally {
    clearInterval(looking);
    lane.close();
  }
}
