import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type PostgresServer, password, role } from "./postgres.ts";
import {
  freePort,
  giveAway,
  isAlive,
  isListening,
  removeAtExit,
  runUnprivileged,
  unprivilegedFolder,
} from "./unprivileged.ts";
import { until } from "./until.ts";

interface PgBouncer {
  /** The URL of a database behind it. */
  url(database: string): string;
  stop(): Promise<void>;
}

/** Starts pgbouncer in transaction mode before a server: a connection has a backend only while it is in a transaction. */
export async function startPgBouncer(
  server: PostgresServer,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<PgBouncer> {
  const folder = unprivilegedFolder("intake-pgbouncer-");
  const [pidFile, port] = [join(folder, "pid"), await freePort()];
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    giveAway(join(folder, name));
  };
  write("users", `"${role}" "${password}"\n`);
  const all = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "scram-sha-256",
    auth_file: join(folder, "users"),
    pool_mode: "transaction",
    default_pool_size: 8,
    pidfile: pidFile,
    logfile: join(folder, "log"),
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}\n`);
  write(
    "config",
    `[databases]\n* = host=127.0.0.1 port=${server.port} password=${password}\n[pgbouncer]\n${lines.join("")}`,
  );
  removeAtExit({ pidFile, folder });
  await runUnprivileged([program(), "-q", "-d", join(folder, "config")], folder);
  // The file is there before it has its number.
  const pid = () => Number(existsSync(pidFile) && readFileSync(pidFile, "utf8"));
  await until(() => (pid() > 0 && isListening(pid(), port)) || undefined);
  return {
    url: (database) => `postgres://${role}:${password}@127.0.0.1:${port}/${database}`,
    async stop() {
      const pid = Number(readFileSync(pidFile, "utf8"));
      process.kill(pid, "SIGKILL");
      await until(() => (isAlive(pid) ? undefined : true));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whether it has `max_prepared_statements`: since 1.21. Debian 12 has an older one. */
export function pgbouncerTracksStatements(): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(Bun.spawnSync([program(), "--version"]).stdout.toString()) ?? [];
  return Number(major) > 1 || Number(minor) >= 21;
}

export function pgbouncerProgram(): string | null {
  return Bun.which("pgbouncer", { PATH: `${process.env["PATH"]}:/usr/sbin` });
}

function program(): string {
  const found = pgbouncerProgram();
  if (!found) throw new Error("pgbouncer is not installed: apt-get install pgbouncer");
  return found;
}
