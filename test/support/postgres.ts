import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { SQL } from "bun";
import { freePort, giveAway, isAlive, removeAtExit, runUnprivileged, unprivilegedFolder } from "./unprivileged.ts";
import { until } from "./until.ts";

/** Settings of PostgreSQL by name. */
type Parameters = Readonly<Record<string, string | number>>;

/** The superuser, and the role that the product connects as, which owns its databases. */
const superuser = "postgres";
export const role = "intake";
export const password = "scratch";

/** Of the times in `/proc`, on every Linux that Bun runs on. */
const ticksPerSecond = 100;

/** Names the folder of a server that several test processes share. */
const shared = "INTAKE_TEST_POSTGRES";

export interface ScratchDatabase {
  name: string;
  /** Over TCP, as the role that owns the database. */
  url: string;
  /** Ends its connections first. */
  drop(): Promise<void>;
}

/** The server of `INTAKE_TEST_POSTGRES`, or one of this process. Its settings are not to be changed, nor is it to be stopped. */
export function sharedPostgres(): Promise<PostgresServer> {
  found ??= process.env[shared] ? Promise.resolve(sharedPostgresOf(process.env)) : ScratchPostgres.start();
  return found;
}
let found: Promise<PostgresServer> | undefined;

/** The server that an environment of {@link startSharedPostgres} names. */
export function sharedPostgresOf(environment: Readonly<Record<string, string | undefined>>): PostgresServer {
  return new PostgresServer(environment[shared] ?? "");
}

/**
 * Starts a server for all test processes that this process starts with the returned environment. It is never killed, so
 * what it writes need not outlive the machine.
 */
export async function startSharedPostgres(): Promise<Record<string, string>> {
  const { folder } = await ScratchPostgres.start({
    ...{ max_connections: 400, shared_buffers: "64MB", jit: "off" },
    ...{ fsync: "off", full_page_writes: "off", autovacuum: "off" },
  });
  return { [shared]: folder };
}

/** A PostgreSQL that runs in a scratch folder, on loopback and on a socket in that folder. */
export class PostgresServer {
  constructor(readonly folder: string) {}

  get port(): number {
    return Number(readFileSync(join(this.folder, "port"), "utf8"));
  }

  url(database: string, user = role): string {
    return `postgres://${user}:${password}@127.0.0.1:${this.port}/${database}`;
  }

  /** Processor time of all its processes since its start. */
  processorSeconds(): number {
    const ticks = this.processes().flatMap((pid, i) => {
      const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : "";
      // Of itself and, from the one that started the others, of those that have ended.
      const [, rest = ""] = stat.split(") ");
      return rest
        .split(" ")
        .slice(11, i === 0 ? 15 : 13)
        .map(Number);
    });
    return ticks.reduce((sum, count) => sum + count, 0) / ticksPerSecond;
  }

  /** Makes a database, empty or as a copy of another one that nobody is connected to. */
  async createDatabase({ template }: { template?: string } = {}): Promise<ScratchDatabase> {
    const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
    // Costs half the processor time of writing the copy to the log too.
    const strategy = "strategy file_copy";
    await this.administer(`create database ${name} owner ${role} template ${template ?? "template0"} ${strategy}`);
    return this.database(name);
  }

  /** One that was made with {@link createDatabase}. */
  database(name: string): ScratchDatabase {
    return {
      name,
      url: this.url(name),
      drop: async () => void (await this.administer(`drop database if exists ${name} with (force)`)),
    };
  }

  /** The name of a database to make copies of. It is prepared by the first process that asks for it. */
  async template(name: string, prepare: (url: string) => Promise<void>): Promise<string> {
    return this.asSuperuser(async (sql) => {
      await sql`select pg_advisory_lock(hashtext(${name}))`;
      if ((await sql`select 1 from pg_database where datname = ${name}`).length > 0) return name;
      const unfinished = `${name}_unfinished`;
      await sql.unsafe(`drop database if exists ${unfinished} with (force)`);
      await sql.unsafe(`create database ${unfinished} owner ${role} template template0`);
      await prepare(this.url(unfinished));
      await sql.unsafe(`alter database ${unfinished} rename to ${name}`);
      return name;
    });
  }

  /** Runs one statement as the superuser. */
  administer<R>(statement: string, database?: string): Promise<R[]> {
    return this.asSuperuser(async (sql) => [...(await sql.unsafe(statement))] as R[], database);
  }

  protected get dataFolder(): string {
    return join(this.folder, "data");
  }

  protected get pidFile(): string {
    return join(this.dataFolder, "postmaster.pid");
  }

  /** The id of the process that accepts connections. */
  get pid(): number {
    return Number(readFileSync(this.pidFile, "utf8").split("\n", 1)[0]);
  }

  /** The one that accepts connections first. */
  protected processes(): number[] {
    const { pid } = this;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
    return [pid, ...children.map(Number)];
  }

  /** Runs work on one connection of the superuser. */
  async asSuperuser<T>(work: (sql: SQL) => Promise<T>, database = "postgres"): Promise<T> {
    const sql = new SQL(this.url(database, superuser), { max: 1 });
    try {
      return await work(sql);
    } finally {
      await sql.close();
    }
  }
}

/** A PostgreSQL of this process alone, which may be stopped and killed. It is gone when this process has ended. */
export class ScratchPostgres extends PostgresServer {
  /** Writes reach the disk (`fsync`) unless the parameters say otherwise. */
  static async start(parameters: Parameters = {}): Promise<ScratchPostgres> {
    const postgres = new ScratchPostgres(unprivilegedFolder("intake-postgres-"));
    removeAtExit({ pidFile: postgres.pidFile, folder: postgres.folder });
    await postgres.#initialise(parameters);
    await postgres.#startOnFreePort();
    await postgres.administer(`create role ${role} login password '${password}'`);
    return postgres;
  }

  /** Stops as `pg_ctl stop` does: `fast` ends connections and writes everything out, `immediate` leaves the recovery to the next start. */
  async stop(mode: "fast" | "immediate" = "fast") {
    await this.#control("stop", "-m", mode);
  }

  /** Starts a stopped or killed server, on the port that it had. */
  async restart() {
    if (existsSync(this.pidFile) && isAlive(this.pid)) await this.stop();
    await this.#control("start", "-l", this.#log);
  }

  /** Kills all its processes at once, as a power failure does. */
  async crash() {
    const processes = this.processes();
    // Some end by themselves once the first one is gone.
    for (const each of processes) killIfThere(each);
    await until(() => (processes.some(isAlive) ? undefined : true));
    // A start is refused while a process has the id that stands in these, even one that nobody has waited for.
    for (const path of [this.pidFile, join(this.folder, `.s.PGSQL.${this.port}.lock`)]) rmSync(path);
  }

  /** Starts another server that gets all that this one writes, and resolves once it does so without delay. */
  async startStandby(): Promise<ScratchPostgres> {
    const standby = new ScratchPostgres(unprivilegedFolder("intake-postgres-"));
    removeAtExit({ pidFile: standby.pidFile, folder: standby.folder });
    const options = ["--write-recovery-conf", "--checkpoint=fast", "--no-sync", "-D", standby.dataFolder];
    const source = ["-d", this.url("postgres", superuser)];
    await runUnprivileged([program("pg_basebackup"), ...options, ...source], standby.folder);
    standby.#addSettings({ unix_socket_directories: standby.folder });
    await standby.#startOnFreePort();
    await until(async () => {
      const following = await this.administer("select 1 from pg_stat_replication where state = 'streaming'");
      return following.length > 0 ? true : undefined;
    });
    return standby;
  }

  /** Makes a server that takes writes of a standby. */
  async promote() {
    await this.#control("promote");
  }

  /** Kills one process that serves a connection; the server then ends all connections and recovers. */
  crashBackend(pid: number) {
    process.kill(pid, "SIGKILL");
  }

  /** Nothing answers until {@link resume}, though connections stay open and new ones are accepted by the kernel. */
  pause() {
    for (const each of this.processes()) process.kill(each, "SIGSTOP");
  }

  resume() {
    for (const each of this.processes().reverse()) process.kill(each, "SIGCONT");
  }

  /** Changes settings of the running server, for present and new connections; restarts it where a setting asks for that. */
  async set(parameters: Parameters) {
    for (const [name, value] of Object.entries(parameters)) {
      await this.administer(`alter system set ${name} = '${value}'`);
    }
    const [row] = await this.administer<{ at: Date }>("select pg_conf_load_time() as at");
    await this.administer("select pg_reload_conf()");
    await until(async () => {
      const [now] = await this.administer<{ at: Date }>("select pg_conf_load_time() as at");
      return now && row && now.at > row.at ? true : undefined;
    });
    const pending = await this.administer("select 1 from pg_settings where pending_restart");
    if (pending.length > 0) await this.restart();
  }

  /** What the server has logged. */
  get log(): string {
    return readFileSync(this.#log, "utf8");
  }

  async remove() {
    if (existsSync(this.pidFile)) await this.crash();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #log(): string {
    return join(this.folder, "log");
  }

  async #initialise(parameters: Parameters) {
    await this.#makeDataFolder();
    const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: this.folder, ...parameters };
    this.#addSettings(settings);
  }

  /** `initdb` takes half a second of processor time: it runs for the first server of all tests, others get a copy. */
  async #makeDataFolder() {
    const initdb = program("initdb");
    const options = [
      ...["--no-sync", "--username", superuser, "--auth-local=trust", "--auth-host=scram-sha-256"],
      ...["--encoding=UTF8", "--locale=C.UTF-8"],
      // Sorts otherwise than SQLite where the schema does not say how.
      ...["--locale-provider=icu", "--icu-locale=en-US"],
    ];
    const madeFrom = Bun.SHA256.hash(
      JSON.stringify([initdb, statSync(initdb).mtimeMs, options, password]),
      "hex",
    ).slice(0, 16);
    const kept = join(import.meta.dir, `../../dist/test-postgres-${madeFrom}`);
    if (existsSync(kept)) return copyFolder(kept, this.dataFolder);
    const passwordFile = join(this.folder, "password");
    writeFileSync(passwordFile, password, { mode: 0o600 });
    giveAway(passwordFile);
    await runUnprivileged([initdb, "-D", this.dataFolder, "--pwfile", passwordFile, ...options], this.folder);
    const unfinished = `${kept}.${crypto.randomUUID()}`;
    mkdirSync(dirname(kept), { recursive: true });
    await copyFolder(this.dataFolder, unfinished);
    try {
      renameSync(unfinished, kept);
    } catch (error) {
      rmSync(unfinished, { recursive: true });
      // Another process has kept one at the same time.
      if (!existsSync(kept)) throw error;
    }
  }

  /** Settings that hold from the next start on; of those with one name the last one. */
  #addSettings(settings: Parameters) {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    appendFileSync(join(this.dataFolder, "postgresql.conf"), lines.join(""));
  }

  /** Tries another port when somebody took the free one in the meantime. */
  async #startOnFreePort() {
    for (let left = 3; ; left--) {
      const port = await freePort();
      writeFileSync(join(this.folder, "port"), String(port));
      this.#addSettings({ port });
      const failed = await this.restart().then(
        () => undefined,
        (error: Error) => error,
      );
      if (!failed) return;
      if (left === 1 || !this.log.includes("could not bind")) throw failed;
    }
  }

  async #control(...words: string[]) {
    const command = [program("pg_ctl"), "-D", this.dataFolder, "-w", "-t", "60", ...words];
    await runUnprivileged(command, this.folder).catch((error: Error) => {
      throw new Error(`${error.message}${existsSync(this.#log) ? this.log : ""}`);
    });
  }
}

function killIfThere(pid: number) {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as { code?: string }).code !== "ESRCH") throw error;
  }
}

/** With the owners of its files. */
async function copyFolder(from: string, to: string): Promise<void> {
  const copying = Bun.spawn(["cp", "--archive", from, to], { stdio: ["ignore", "ignore", "pipe"] });
  const [complaints, code] = await Promise.all([new Response(copying.stderr).text(), copying.exited]);
  if (code !== 0) throw new Error(`the data directory could not be copied: ${complaints}`);
}

function program(name: string): string {
  const folder = programsOfPostgres();
  if (!folder) throw new Error("PostgreSQL 15 or newer is not installed: apt-get install postgresql");
  return `${folder}/${name}`;
}

/** Debian keeps the programs of each version in a folder of their own, apart from the PATH. */
export function programsOfPostgres(): string | undefined {
  const [newest] = (existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql") : [])
    .filter((version) => Number(version) >= 15 && existsSync(`/usr/lib/postgresql/${version}/bin/postgres`))
    .sort((one, other) => Number(other) - Number(one));
  return newest && `/usr/lib/postgresql/${newest}/bin`;
}
