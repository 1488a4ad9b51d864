import type { Deployment } from "./deployment.ts";
import type { Ledger } from "./ledger.ts";
import type { Random } from "./random.ts";

interface Scene {
  deployment: Deployment;
  ledger: Ledger;
  random: Random;
}

interface Fault {
  summary: string;
  rounds: number;
  needsStandby?: true;
  /** Does the damage and takes it back. */
  happen: (scene: Scene) => Promise<void>;
}

/** Less and more than others wait for the heartbeats of a process. */
const [pauseMin, pauseMax] = [300, 13_000];

const kill: Fault = {
  summary: "kill -9 of a process, which starts again in its folder or on another machine",
  rounds: 200,
  async happen({ deployment, random }) {
    const process = random.pick(deployment.processes);
    await Bun.sleep(random.between(0, 300));
    await deployment.kill(process);
    await deployment.startAgain(process, random.next() < 0.5 ? deployment.newFolder() : process.folder);
  },
};

const terminate: Fault = {
  summary: "pg_terminate_backend of one connection, of some or of all",
  rounds: 500,
  async happen({ deployment, random }) {
    const share = random.pick([0.05, 0.3, 1]);
    await deployment.rows(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'intake' and random() < ${share}`,
    );
    await Bun.sleep(random.between(0, 60));
  },
};

const crash: Fault = {
  summary: "kill -9 or an immediate stop of PostgreSQL, which starts again",
  rounds: 20,
  async happen({ deployment: { postgres }, ledger, random }) {
    await Bun.sleep(random.between(0, 1_000));
    const from = performance.now();
    if (random.next() < 0.5) await postgres.crash();
    else await postgres.stop("immediate");
    await Bun.sleep(random.pick([0, 500, 3_000]));
    await postgres.restart();
    ledger.limitsReset.push({ from, to: performance.now() });
  },
};

const s3: Fault = {
  summary: "the S3 server hangs, refuses connections or ends them in the middle",
  rounds: 50,
  async happen({ deployment: { storage, storagePort }, random }) {
    await Bun.sleep(random.between(0, 1_500));
    const milliseconds = random.between(100, 3_000);
    const kind = random.pick(["hangs", "refuses", "ends"] as const);
    if (kind === "hangs") await storage.pause();
    storagePort.refusing = kind === "refuses";
    if (kind !== "hangs") storagePort.drop();
    if (kind !== "ends") await Bun.sleep(milliseconds);
    storage.resume();
    storagePort.refusing = false;
  },
};

const failover: Fault = {
  summary: "kill -9 of PostgreSQL; its synchronous standby takes over and gets a standby of its own",
  rounds: 20,
  needsStandby: true,
  async happen({ deployment, ledger, random }) {
    await Bun.sleep(random.between(0, 1_000));
    const from = performance.now();
    await deployment.postgres.crash();
    const former = await deployment.failOver();
    ledger.limitsReset.push({ from, to: performance.now() });
    await Promise.all([deployment.follow(), former.remove()]);
  },
};

const freeze: Fault = {
  summary: "SIGSTOP of a process, for less and for longer than others take it for living",
  rounds: 20,
  async happen({ deployment, random }) {
    await deployment.freeze(random.pick(deployment.processes), random.between(pauseMin, pauseMax));
  },
};

const mixed: Fault = {
  summary: "at once: something of a process, something of PostgreSQL with a standby, and an S3 outage",
  rounds: 30,
  needsStandby: true,
  async happen(scene) {
    const { random } = scene;
    const ofProcesses = random.pick([kill, freeze]);
    const ofDatabase = random.pick([terminate, crash, failover]);
    const all = [ofProcesses, ofDatabase, s3].filter(() => random.next() < 0.7);
    await Promise.all(all.map(({ happen }) => happen(scene)));
  },
};

export const faults = { kill, terminate, crash, s3, failover, freeze, mixed } as const;

export type FaultName = keyof typeof faults;
