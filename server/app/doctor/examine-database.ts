import type { Row } from "../../core/store.ts";
import type { MigrationConnection } from "../../store/postgres/migrate.ts";
import type { Pooler } from "../../store/postgres/reach-database.ts";
import { clockTrouble } from "../clock-offset.ts";
import { connectionsOfServer, usualConnections } from "../database-connections.ts";
import { bad, counted, type Finding, failure, good, look } from "./finding.ts";

/** How a database is reached: `sessions` when its pooler gives out a backend for a whole session. */
type Route = (Pooler & { sessions: boolean }) | undefined;

/** Looks at the server of a database, and at the way to it. */
export async function examineDatabase(db: MigrationConnection, route: Route): Promise<Finding[]> {
  const server = await settingsOf(db);
  return [
    await look("postgresql", () => version(server)),
    await look("encoding", () => encoding(server)),
    await look("durability", () => durability(server)),
    await look("standbys", () => standbys(db, server)),
    await look("writes", () => writes(server)),
    await look("database clock", async () => {
      const trouble = await clockTrouble((sql) => db.run(sql));
      return trouble ? failure("database_clock", new Error(trouble.text)) : good("it agrees with that of this machine");
    }),
    await look("pooler", () => pooler(route)),
    await look("connections", () => connections(db, route)),
  ];
}

interface Server extends Row {
  version: number;
  version_name: string;
  encoding: string;
  fsync: string;
  full_page_writes: string;
  synchronous_commit: string;
  standbys: string;
  recovering: number;
  read_only: string;
}

async function settingsOf(db: MigrationConnection): Promise<Server> {
  const [row] = await db.run<Server>(
    `select cast(current_setting('server_version_num') as integer) as version,
       current_setting('server_version') as version_name, current_setting('server_encoding') as encoding,
       current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
       current_setting('synchronous_commit') as synchronous_commit,
       current_setting('synchronous_standby_names') as standbys,
       cast(pg_is_in_recovery() as integer) as recovering, current_setting('transaction_read_only') as read_only`,
  );
  return row as Server;
}

function version({ version: number, version_name: name }: Server) {
  if (number >= 150_000) return good(`PostgreSQL ${name}`);
  return bad("postgresql_old", `PostgreSQL ${name} is too old`);
}

function encoding({ encoding: found }: Server) {
  if (found === "UTF8") return good("the database's encoding is UTF8");
  return bad(
    "database_encoding",
    `the database's encoding is ${found}`,
    "create one with: create database … encoding 'UTF8' template template0",
  );
}

/** What a server with these settings has acknowledged may be lost when its machine fails. */
function durability({ fsync, full_page_writes, synchronous_commit }: Server) {
  const wrong = [
    fsync === "on" ? "" : "fsync",
    full_page_writes === "on" ? "" : "full_page_writes",
    ["off", "local"].includes(synchronous_commit) ? "synchronous_commit" : "",
  ].filter(Boolean);
  if (wrong.length === 0) return good("what it acknowledges is on its disk");
  const remedies = wrong.map((name) =>
    name === "synchronous_commit"
      ? "alter role … set synchronous_commit = on"
      : `alter system set ${name} = on; select pg_reload_conf()`,
  );
  return bad(
    "database_not_durable",
    `${wrong.join(" and ")} ${wrong.length > 1 ? "are" : "is"} switched off, so what was acknowledged may be lost when the database's machine fails`,
    `Run: ${remedies.join("; ")}`,
  );
}

async function standbys(db: MigrationConnection, { standbys: names }: Server) {
  if (names === "") {
    return good(
      "none is synchronous: when the database's machine is lost for good, so is what a standby or backup had not got yet; synchronous_standby_names makes every commit wait for one",
    );
  }
  const rows = await db.run<{ sync_state: string | null; state: string | null }>(
    "select sync_state, state from pg_stat_replication",
  );
  const connected = rows.filter(({ sync_state }) => sync_state === "sync" || sync_state === "quorum").length;
  const hidden = rows.some(({ state }) => state === null);
  if (connected > 0)
    return good(
      `every commit waits for a standby; ${counted(connected, "synchronous one is", "synchronous ones are")} connected`,
    );
  if (hidden) return good("every commit waits for a standby; grant pg_monitor to this user to see which are connected");
  return bad(
    "standbys_missing",
    "every commit waits for a standby, and none of synchronous_standby_names is connected: nothing can be stored until one is",
  );
}

function writes({ recovering, read_only }: Server) {
  if (recovering === 1) return bad("database_read_only", "this server is a standby");
  if (read_only === "on")
    return bad("database_read_only", "it takes no writes (default_transaction_read_only)", "set that to off");
  return good("it takes them");
}

function pooler(route: Route) {
  if (!route) return good("none between this machine and the server");
  if (route.sessions) {
    return good("it gives out a backend for a whole session, so it saves no connection; pool_mode = transaction does");
  }
  if (route.prepares) return good("by transaction, with prepared statements");
  return good(
    "by transaction, without prepared statements, so the database plans each one anew; pgbouncer 1.21 and newer knows of them with max_prepared_statements",
  );
}

async function connections(db: MigrationConnection, route: Route) {
  const { processes, wanted, given, used } = await connectionsOfServer(db, perProcess());
  const running = counted(processes, "running process opens", "running processes open");
  const text = `${running} up to ${wanted}; the server gives out ${given}, of which ${used} are in use`;
  // The pooler's own number of backends decides then.
  if (route && !route.sessions) return good(`${running} up to ${wanted} of the pooler's`);
  if (wanted <= given) return good(text);
  return bad("connections_short", text, "Raise max_connections, or put pgbouncer between");
}

/** The processes are taken to be started with what this command finds in its environment. */
function perProcess(): number {
  return Number(process.env["INTAKE_DATABASE_CONNECTIONS"]) || usualConnections;
}
