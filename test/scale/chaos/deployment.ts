import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningBinary, runJson, serve } from "../../support/binary.ts";
import { type ScratchDatabase, ScratchPostgres } from "../../support/postgres.ts";
import { S3Server, s3Environment } from "../../support/s3-server.ts";
import { Forwarder } from "./forwarder.ts";

/** As many attempts as there may be, soon after each other. */
const schedule = `0${",0.3".repeat(49)}`;

interface Made {
  apiToken: { token: string };
  sdkKey: { key: string };
  project: { id: string };
  agent: { id: string };
}

/** One server process of the deployment. */
export interface Process {
  name: string;
  folder: string;
  server: RunningBinary;
  /** Whether its end was wanted. */
  killed: boolean;
  /** Counts up when something is done to it that keeps it from answering, and again when that is taken back. */
  disturbed: number;
}

interface Options {
  processes: number;
  /** Whether PostgreSQL has a standby, which has everything that is acknowledged. */
  standby?: boolean;
}

/** A PostgreSQL, an S3 server and some processes of the compiled binary, as on machines of their own. */
export class Deployment {
  postgres: ScratchPostgres;
  standby: ScratchPostgres | undefined;
  readonly storage: S3Server;
  /** What the processes reach the S3 server by. */
  readonly storagePort: Forwarder;
  /** What the processes reach PostgreSQL by, where it may become another one. */
  readonly databasePort: Forwarder | undefined;
  readonly processes: Process[] = [];
  readonly made: Made;
  readonly env: Readonly<Record<string, string>>;
  readonly #folder: string;
  readonly #database: ScratchDatabase;
  #folders = 0;

  static async start({ processes, standby = false }: Options): Promise<Deployment> {
    const folder = mkdtempSync(join(tmpdir(), "intake-chaos-"));
    const [postgres, storage] = await Promise.all([ScratchPostgres.start(), S3Server.start()]);
    const database = await postgres.createDatabase();
    const databasePort = standby ? await Forwarder.listen(postgres.port) : undefined;
    const storagePort = await Forwarder.listen(Number(new URL(storage.endpoint).port));
    const address = new URL(database.url);
    if (databasePort) address.port = String(databasePort.port);
    const env = {
      ...s3Environment,
      INTAKE_DATABASE_URL: address.href,
      INTAKE_FILES: storage.newPlace("reports").replace(storage.endpoint, `http://127.0.0.1:${storagePort.port}`),
      INTAKE_SECRET_KEY_FILE: join(folder, "secret.key"),
      INTAKE_PUBLIC_URL: "http://127.0.0.1:3000",
      INTAKE_TRUSTED_PROXIES: "127.0.0.1",
      INTAKE_WEBHOOK_ALLOW: "127.0.0.0/8",
      INTAKE_WEBHOOK_SCHEDULE: schedule,
    };
    const organisation = ["--org", "Example", "--admin-email", "admin@example.org"];
    const made = await runJson<Made>(["init", ...organisation, "--data", join(folder, "commands")], { env });
    const deployment = new Deployment({ folder, postgres, database, databasePort, storage, storagePort, env, made });
    if (standby) await deployment.follow();
    for (let n = 1; n <= processes; n++) await deployment.add(`process ${n}`);
    return deployment;
  }

  private constructor(parts: {
    folder: string;
    postgres: ScratchPostgres;
    database: ScratchDatabase;
    databasePort: Forwarder | undefined;
    storage: S3Server;
    storagePort: Forwarder;
    env: Readonly<Record<string, string>>;
    made: Made;
  }) {
    this.#folder = parts.folder;
    this.postgres = parts.postgres;
    this.#database = parts.database;
    this.databasePort = parts.databasePort;
    this.storage = parts.storage;
    this.storagePort = parts.storagePort;
    this.env = parts.env;
    this.made = parts.made;
  }

  /** Runs a command beside the processes; returns the JSON that it printed. */
  command<T>(...args: string[]): Promise<T> {
    return runJson<T>([...args, "--data", join(this.#folder, "commands")], { env: { ...this.env } });
  }

  /** Runs a statement on the server that is the primary now. */
  rows<R>(sql: string): Promise<R[]> {
    return this.postgres.administer<R>(sql, this.#database.name);
  }

  async add(name: string): Promise<Process> {
    const folder = this.newFolder();
    const process: Process = { name, folder, server: await this.#serve(folder), killed: false, disturbed: 0 };
    this.processes.push(process);
    return process;
  }

  /** Ends a process at once, as a machine that fails. */
  async kill(process: Process) {
    process.killed = true;
    process.disturbed++;
    await process.server.stop("SIGKILL");
  }

  /** Starts a killed process again, in its folder or on another machine, as often as it takes while the database is away. */
  async startAgain(process: Process, folder = process.folder) {
    const end = performance.now() + 60_000;
    for (;;) {
      try {
        process.server = await this.#serve(folder);
        process.folder = folder;
        process.killed = false;
        process.disturbed++;
        return;
      } catch (error) {
        if (performance.now() > end) throw error;
        await Bun.sleep(200);
      }
    }
  }

  /** Stops a process for a while without ending it. */
  async freeze(process: Process, milliseconds: number) {
    process.disturbed++;
    process.server.process.kill("SIGSTOP");
    await Bun.sleep(milliseconds);
    process.server.process.kill("SIGCONT");
    process.disturbed++;
  }

  newFolder(): string {
    return join(this.#folder, `machine-${++this.#folders}`);
  }

  /** Gives the primary a standby that every commit waits for. */
  async follow() {
    this.standby = await this.postgres.startStandby();
    await this.postgres.set({ synchronous_standby_names: "*" });
  }

  /** Makes the standby the primary. Whoever is connected loses the connection. */
  async failOver(): Promise<ScratchPostgres> {
    const { standby, databasePort, postgres } = this;
    if (!standby || !databasePort) throw new Error("there is no standby");
    await standby.promote();
    this.postgres = standby;
    this.standby = undefined;
    databasePort.target = standby.port;
    databasePort.drop();
    return postgres;
  }

  async stop() {
    for (const { server } of this.processes) await server.stop("SIGKILL");
    this.storagePort.close();
    this.databasePort?.close();
    await this.storage.stop();
    await Promise.all([this.postgres.remove(), this.standby?.remove()]);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #serve(folder: string): Promise<RunningBinary> {
    return serve(folder, [], { env: { ...this.env } });
  }
}
