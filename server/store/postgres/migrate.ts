import type { Row, Value } from "../../core/store.ts";
import { MigrationRefused } from "../migrate.ts";
import type { PhasedMigration } from "./migrations/index.ts";

/** One connection of its own, outside a transaction. Without parameters, a text may have several statements. */
export interface MigrationConnection {
  run<R extends Row>(sql: string, params?: readonly Value[]): Promise<R[]>;
}

interface Options {
  /** Whether steps may run that older binaries do not survive. On an empty database all steps run. */
  contract?: boolean;
  now: () => number;
  progress?: (text: string) => void;
}

export interface DatabaseStatus {
  /** Number of the newest step in the database; 0 for an empty one. */
  current: number;
  /** Number of the newest step that this binary knows. */
  newest: number;
  applied: { number: number; name: string; appliedAt: string }[];
  pending: Pick<PhasedMigration, "number" | "name" | "phase">[];
}

/** Held by the transaction of a step, so that of several processes that start at once one makes the step. */
const lock = "select pg_advisory_xact_lock(7668740)";
const oldestServer = 150_000;

/** A process without a heartbeat for so long, in milliseconds, runs no more. */
const deadMilliseconds = 10_000;

/**
 * Brings a database towards the newest schema, a transaction for each step. A step that an older binary does not survive
 * ends it, unless `contract` is given; then it is refused while a process runs that does not know it. Other processes may
 * do the same at the same time.
 */
export async function migrateDatabase(db: MigrationConnection, known: readonly PhasedMigration[], options: Options) {
  await requireServer(db);
  await inTransaction(db, () =>
    db.run(`create table if not exists migration (
      number integer primary key,
      name text collate "C" not null,
      phase text collate "C" not null check (phase in ('expand', 'contract')),
      checksum text collate "C" not null,
      applied_at double precision not null
    )`),
  );
  const { current, pending } = await databaseStatus(db, known);
  const everything = current === 0 || options.contract === true;
  for (const step of known.filter(({ number }) => pending.some((waits) => waits.number === number))) {
    if (step.phase === "contract" && !everything) return;
    await inTransaction(db, () => applyStep(db, known, step, options));
  }
}

/** Throws {@link MigrationRefused} unless this binary can work with the schema: all it needs is there, and nothing is gone. */
export async function requireSchema(db: MigrationConnection, known: readonly PhasedMigration[]) {
  const { current, newest, pending } = await databaseStatus(db, known);
  if (current === 0) throw new MigrationRefused("the database is empty. Run: intake migrate up");
  const needed = pending.some(({ phase }) => phase === "expand");
  if (!needed) return;
  const also = pending.some(({ phase }) => phase === "contract") ? " --contract" : "";
  throw new MigrationRefused(
    `the database is older than this binary: schema ${current} of ${newest}. Run: intake migrate up${also}`,
  );
}

/** Throws {@link MigrationRefused} when the database has a step that this binary cannot work with. */
export async function databaseStatus(
  db: MigrationConnection,
  known: readonly PhasedMigration[],
): Promise<DatabaseStatus> {
  const applied = await appliedSteps(db);
  const newest = known.at(-1)?.number ?? 0;
  const current = applied.at(-1)?.number ?? 0;
  for (const { number, name, phase, checksum } of applied) {
    const step = known.find((candidate) => candidate.number === number);
    if (step ? checksumOf(step) === checksum : number > newest && phase === "expand") continue;
    throw new MigrationRefused(
      number > newest
        ? `the database has schema ${current}, and its step ${number} (${name}) took away what this binary uses, which knows up to ${newest}; start a newer intake`
        : `step ${number} of the database's schema is not the one this binary knows`,
    );
  }
  return {
    current,
    newest,
    applied: applied.map(({ number, name, applied_at }) => {
      return { number, name, appliedAt: new Date(applied_at).toISOString() };
    }),
    pending: known
      .filter(({ number }) => !applied.some((step) => step.number === number))
      .map(({ number, name, phase }) => ({ number, name, phase })),
  };
}

interface Applied extends Row {
  number: number;
  name: string;
  phase: string;
  checksum: string;
  applied_at: number;
}

async function appliedSteps(db: MigrationConnection): Promise<Applied[]> {
  const [made] = await db.run("select 1 as made where to_regclass('migration') is not null");
  return made ? await db.run<Applied>("select * from migration order by number") : [];
}

async function applyStep(
  db: MigrationConnection,
  known: readonly PhasedMigration[],
  step: PhasedMigration,
  { now, progress = () => {} }: Options,
) {
  const { current, pending } = await databaseStatus(db, known);
  // Another process may have made it while this one waited for the lock.
  if (!pending.some(({ number }) => number === step.number)) return;
  if (step.phase === "contract" && current > 0) await requireNoneOlder(db, step);
  progress(`schema ${current} → ${step.number} (${step.name})`);
  await db.run(step.sql);
  await db.run("insert into migration (number, name, phase, checksum, applied_at) values ($1, $2, $3, $4, $5)", [
    step.number,
    step.name,
    step.phase,
    checksumOf(step),
    now(),
  ]);
}

async function requireNoneOlder(db: MigrationConnection, { number, name }: PhasedMigration) {
  const [made] = await db.run("select 1 as made where to_regclass('process') is not null");
  if (!made) return;
  const older = await db.run<{ version: string; schema: number; url: string }>(
    `select version, schema, url from process
     where schema < $1 and seen_at > extract(epoch from clock_timestamp()) * 1000 - $2 order by started_at, id`,
    [number, deadMilliseconds],
  );
  if (older.length === 0) return;
  const named = older.map(({ version, schema, url }) => `${url} (version ${version}, schema ${schema})`);
  throw new MigrationRefused(
    `step ${number} (${name}) takes away what running processes use: ${named.join(", ")}. Upgrade or stop them, and run this again`,
  );
}

/**
 * Waits for other migrations as long as they take. A statement that changes a table in use waits for it some seconds
 * only, because every request behind it waits too.
 */
async function inTransaction(db: MigrationConnection, work: () => Promise<unknown>) {
  await db.run("begin");
  try {
    await db.run("select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)");
    await db.run(lock);
    await db.run("select set_config('lock_timeout', '5s', true)");
    await work();
    await db.run("commit");
  } catch (error) {
    // The connection may be lost, which ends the transaction too.
    await db.run("rollback").catch(() => {});
    throw error;
  }
}

async function requireServer(db: MigrationConnection) {
  const [server] = await db.run<{ version: number; name: string; encoding: string }>(
    `select cast(current_setting('server_version_num') as integer) as version,
       current_setting('server_version') as name, current_setting('server_encoding') as encoding`,
  );
  if (server && server.version < oldestServer) {
    throw new MigrationRefused(`PostgreSQL ${server.name} is too old: version 15 or newer is needed`);
  }
  if (server && server.encoding !== "UTF8") {
    throw new MigrationRefused(`the database's encoding is ${server.encoding}: create one with the encoding UTF8`);
  }
}

function checksumOf({ sql }: PhasedMigration): string {
  return Bun.SHA256.hash(sql, "hex");
}
