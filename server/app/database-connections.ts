import type { MigrationConnection } from "../store/postgres/migrate.ts";

/** Of a server, of which one is for what processes tell each other. */
export const usualConnections = 17;

interface Connections {
  /** How many processes use the database. */
  processes: number;
  /** How many connections these open at most. */
  wanted: number;
  /** How many this user gets of the server in all. */
  given: number;
  used: number;
}

/** How many connections the living processes open, and how many the server has for them. */
export async function connectionsOfServer(db: MigrationConnection, perProcess: number): Promise<Connections> {
  const [made] = await db.run("select 1 as made where to_regclass('process') is not null");
  const [row] = made ? await db.run<{ n: number }>("select cast(count(*) as integer) as n from process") : [];
  const processes = row?.n ?? 0;
  const [server] = await db.run<{ given: number; used: number }>(
    `select cast(least(
         current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer,
         (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
         (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
       ) as integer) as given,
       (select cast(sum(numbackends) as integer) from pg_stat_database) as used`,
  );
  return { processes, wanted: processes * perProcess, given: server?.given ?? 0, used: server?.used ?? 0 };
}
