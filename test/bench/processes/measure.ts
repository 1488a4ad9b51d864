import { join } from "node:path";
import { parseArgs } from "node:util";
import { createProject } from "../../../server/boards/create-project.ts";
import { operator } from "../../../server/core/context.ts";
import { idMaker } from "../../../server/core/ids.ts";
import { createKey } from "../../../server/credentials/create-key.ts";
import { readDatabaseUrl } from "../../../server/store/postgres/connection.ts";
import { PostgresStore } from "../../../server/store/postgres/postgres-store.ts";
import { auditMessages } from "../../../server/webhooks/deliveries/enqueue-audit.ts";
import { ScratchPostgres } from "../../support/postgres.ts";
import { atLeast, budget, ratio } from "../budget.ts";
import { type Contestant, startIntake } from "../contestant.ts";
import { smallBodies } from "../ingest/bodies.ts";
import { script as ingestScript } from "../ingest/servers.ts";
import { freshInstallation, type Installation } from "../intake.ts";
import { median } from "../median.ts";
import { prepareBinary } from "../prepare.ts";
import { cpuMicroseconds } from "../process-stats.ts";
import { progress } from "../progress.ts";
import { budgetsTable, describe } from "../report-tables.ts";
import { cleanUp, cleanUpOnSignals, endWithRun, freshFolder } from "../scratch.ts";
import { table } from "../table.ts";
import { script as ticketScript } from "../tickets/compare.ts";
import { type LoadOptions, loadOnce, requireWrk } from "../wrk.ts";

/**
 * `bun test/bench/processes/measure.ts latency|project`: several processes on one PostgreSQL, in rounds that alternate.
 * `latency`: tickets of one process and of all, with a network between them and the database. `project`: reports of one
 * project and of 64, over all processes.
 */
const help = `bun test/bench/processes/measure.ts latency|project [--processes 4] [--latency 2] [--lanes 3]
  [--connections 8] [--seconds 6] [--rounds 3] [--json]
`;

const numbers = { processes: 4, latency: 2, lanes: 3, connections: 8, seconds: 6, rounds: 3 };
type Numbers = typeof numbers;
const projects = 64;
const parts = ["latency", "project"] as const;

/** One kind of load: which processes get it, and what they are sent. */
interface Kind {
  name: string;
  processes: readonly Contestant[];
  token: string;
  load: Pick<LoadOptions, "script" | "args">;
}

interface Row {
  name: string;
  perSecond: number;
  p99Milliseconds: number;
  /** Per request, of all processes and of PostgreSQL. */
  cpuMicroseconds: { processes: number; postgres: number };
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...Object.fromEntries(Object.keys(numbers).map((name) => [name, { type: "string" as const }])),
      json: { type: "boolean", default: false },
    },
  });
  const part = parts.find((name) => name === positionals[0]);
  const usually = { ...numbers, ...(part === "project" ? { latency: 0, lanes: 12, connections: 16 } : {}) };
  const given = Object.fromEntries(
    Object.entries(usually).map(([name, usual]) => [name, Number(values[name as keyof typeof values] ?? usual)]),
  ) as Numbers;
  if (part === undefined || Object.values(given).some((number) => !(number >= 0))) {
    process.stderr.write(help);
    return 2;
  }
  const { machine, binary, leftOut } = await prepareBinary();
  await requireWrk();
  const postgres = await ScratchPostgres.start({ shared_buffers: "256MB" });
  try {
    const { url } = await postgres.createDatabase();
    const installation = await freshInstallation(binary, {
      INTAKE_DATABASE_URL: url,
      INTAKE_SECRET_KEY_FILE: join(freshFolder("key"), "secret.key"),
    });
    const { kinds, close } = await (part === "latency" ? manyTickets : oneProject)(installation, url, given);
    const rows = await measure(kinds, postgres, given);
    await close();
    const [first, second] = rows;
    const measured = ratio(second?.perSecond, first?.perSecond);
    const budgets =
      part === "latency"
        ? [budget(`${given.processes} processes against one`, atLeast(0.85 * given.processes), "×", measured)]
        : [budget(`one project against ${projects}`, atLeast(0.8), "×", measured)];
    const report = { part, given, rows, budgets, machine, leftOut };
    process.stdout.write(`${values.json ? JSON.stringify(report) : present(report)}\n`);
    return 0;
  } finally {
    cleanUp();
    await postgres.remove();
  }
}

interface Prepared {
  kinds: Kind[];
  close: () => Promise<void>;
}

async function manyTickets(installation: Installation, url: string, given: Numbers): Promise<Prepared> {
  const processes = await startAll(installation, url, given);
  const kind = { token: installation.token, load: { script: ticketScript } };
  return {
    kinds: [
      { name: "1 process", processes: processes.slice(0, 1), ...kind },
      { name: `${given.processes} processes`, processes, ...kind },
    ],
    close: async () => void (await Promise.all(processes.map(({ stop }) => stop()))),
  };
}

async function oneProject(installation: Installation, url: string, given: Numbers): Promise<Prepared> {
  const keys = await makeKeys(url);
  const processes = await startAll(installation, url, given);
  const load = { script: ingestScript, args: [smallBodies().file] };
  return {
    kinds: [
      { name: `${projects} projects`, processes, token: keys.join(","), load },
      { name: "1 project", processes, token: installation.sdkKey, load },
    ],
    close: async () => void (await Promise.all(processes.map(({ stop }) => stop()))),
  };
}

/** Processes of one installation, each with a folder of its own, as far away from the database as is given. */
async function startAll(
  installation: Installation,
  url: string,
  { processes, latency, lanes }: Numbers,
): Promise<Contestant[]> {
  const far = new URL(url);
  if (latency > 0) far.port = String(await startProxy(Number(far.port), latency));
  // Of four connections one reads, and one at least; on another one the processes tell each other what is new.
  const connections = lanes + Math.max(1, Math.floor(lanes / 3)) + 1;
  return Promise.all(
    Array.from({ length: processes }, (_, i) => {
      const folder = freshFolder("process");
      const own: Installation = {
        ...installation,
        folder,
        log: join(folder, "log"),
        env: { ...installation.env, INTAKE_DATABASE_URL: far.href },
        serve: (port) => [
          ...installation.serve(port).map((word) => (word === installation.data ? folder : word)),
          ...["--database-connections", String(connections)],
        ],
      };
      return startIntake(`process ${i + 1}`, own, installation.token);
    }),
  );
}

async function startProxy(port: number, milliseconds: number): Promise<number> {
  const proxy = endWithRun(
    Bun.spawn([process.execPath, join(import.meta.dir, "delaying-proxy.ts"), String(port), String(milliseconds)], {
      stdout: "pipe",
      stderr: "inherit",
    }),
  );
  for await (const said of proxy.stdout) return Number(/\d+/.exec(new TextDecoder().decode(said))?.[0]);
  throw new Error("the proxy ended");
}

/** Makes projects with an SDK key each. */
async function makeKeys(url: string): Promise<string[]> {
  const store = await PostgresStore.open({ connection: readDatabaseUrl(url), connections: 4 });
  const now = () => Date.now();
  const newId = idMaker(now);
  const audited = auditMessages({ now, newId });
  const ctx = { store, actor: operator, now, newId, audited, publicUrl: { fallback: "http://127.0.0.1:3000" } };
  const keys: string[] = [];
  for (let i = 1; i <= projects; i++) {
    const { id: projectId } = await createProject({ ctx, input: { name: `Project ${i}` } });
    keys.push((await createKey({ ctx, input: { projectId, name: "App" } })).key);
  }
  await store.close();
  return keys;
}

async function measure(kinds: readonly Kind[], postgres: ScratchPostgres, given: Numbers): Promise<Row[]> {
  const rounds = kinds.map((): Row[] => []);
  for (const kind of kinds) await loadAll(kind, postgres, { ...given, seconds: 2 });
  for (let round = 1; round <= given.rounds; round++) {
    for (const [i, kind] of kinds.entries()) {
      const row = await loadAll(kind, postgres, given);
      progress(`round ${round} of ${given.rounds}, ${row.name}: ${row.perSecond.toFixed(0)} a second`);
      rounds[i]?.push(row);
    }
  }
  return rounds.map((rows, i) => ({
    name: kinds[i]?.name ?? "",
    perSecond: median(rows.map((row) => row.perSecond)),
    p99Milliseconds: median(rows.map((row) => row.p99Milliseconds)),
    cpuMicroseconds: {
      processes: median(rows.map((row) => row.cpuMicroseconds.processes)),
      postgres: median(rows.map((row) => row.cpuMicroseconds.postgres)),
    },
  }));
}

/** Loads the processes at the same time, each over connections of its own. */
async function loadAll(kind: Kind, postgres: ScratchPostgres, { seconds, connections }: Numbers): Promise<Row> {
  const { name, processes, token, load } = kind;
  const used = () => processes.reduce((sum, { pid }) => sum + cpuMicroseconds(pid), 0);
  const before = { processes: used(), postgres: postgres.processorSeconds() };
  const loads = await Promise.all(
    processes.map(({ url }) => loadOnce({ url, token }, { ...load, seconds, connections })),
  );
  const answers = loads.reduce((sum, one) => sum + one.answers, 0);
  const refused = loads.reduce((sum, one) => sum + one.refusals + one.broken, 0);
  if (refused > 0) progress(`${name}: ${refused} requests were refused or failed`);
  return {
    name,
    perSecond: loads.reduce((sum, one) => sum + one.answers / one.seconds, 0),
    p99Milliseconds: Math.max(...loads.map((one) => one.p99Milliseconds)),
    cpuMicroseconds: {
      processes: (used() - before.processes) / answers,
      postgres: ((postgres.processorSeconds() - before.postgres) * 1e6) / answers,
    },
  };
}

interface Report {
  part: (typeof parts)[number];
  given: Numbers;
  rows: readonly Row[];
  budgets: ReturnType<typeof budget>[];
  machine: Parameters<typeof describe>[0];
  leftOut: readonly string[];
}

function present({ part, given, rows, budgets, machine, leftOut }: Report): string {
  const { latency, lanes, connections } = given;
  const title = {
    latency: "Tickets of one process and of several",
    project: "Reports of one project and of many, over all processes",
  };
  return [
    `${title[part]}; ${latency} ms to the database and back, ${lanes} lanes and ${connections} connections a process, everything on one machine`,
    ...leftOut,
    table(
      ["", "per second", "p99 ms", "CPU µs, processes", "CPU µs, PostgreSQL"],
      rows.map(({ name, perSecond, p99Milliseconds, cpuMicroseconds: { processes, postgres } }) => [
        name,
        perSecond.toFixed(0),
        p99Milliseconds.toFixed(1),
        processes.toFixed(0),
        postgres.toFixed(0),
      ]),
    ),
    budgetsTable(budgets),
    describe(machine),
  ].join("\n\n");
}

cleanUpOnSignals();
process.exitCode = await main();
