import { backupParts, benchBackup } from "./backup/bench.ts";
import { benchClient } from "./client/bench.ts";
import { benchCompare } from "./compare/bench.ts";
import { findSides } from "./compare/binaries.ts";
import { compareHelp, parseCompare } from "./compare/options.ts";
import { benchDashboard, dashboardParts } from "./dashboard/bench.ts";
import { benchIngest, ingestParts } from "./ingest/bench.ts";
import { type LoadWork, reportLoad, ticketLoad } from "./load-work.ts";
import { benchMove } from "./move/bench.ts";
import { writeNumbers } from "./numbers/write.ts";
import { type BenchOptions, optionHelp, parseOptions } from "./options.ts";
import { benchPostgres } from "./postgres/bench.ts";
import { benchRuns } from "./runs/bench.ts";
import { cleanUp, cleanUpOnSignals } from "./scratch.ts";
import { showStatementTimes } from "./sql-times.ts";
import { benchTickets, ticketParts } from "./tickets/bench.ts";
import { benchWebhooks, webhookParts } from "./webhooks/bench.ts";

interface Bench {
  summary: string;
  /** What --only chooses from. */
  parts: readonly string[];
  /** Of a round, where the usual length is too short. */
  seconds?: number;
  /** Whose SQL statements --sql-times shows. */
  load?: () => LoadWork;
  /** Writes its report on stdout. False when acknowledged rows are missing. */
  run: (options: BenchOptions) => Promise<boolean>;
}

const benches: Record<string, Bench> = {
  tickets: {
    summary: "POST /api/v1/tickets, durable, against a bare server and Fastify",
    parts: ticketParts,
    load: ticketLoad,
    run: benchTickets,
  },
  ingest: {
    summary: "POST /api/ingest, the same; memory under uploads and gzip bombs",
    parts: ingestParts,
    load: () => reportLoad(0),
    run: benchIngest,
  },
  webhooks: {
    summary: "500 reports/s to five subscribers, in rounds of 30 s; idle; a backlog",
    parts: webhookParts,
    seconds: 30,
    run: benchWebhooks,
  },
  dashboard: {
    summary: "how fast pages open, scroll and follow, and what open pages cost the ticket API",
    parts: dashboardParts,
    run: benchDashboard,
  },
  runs: {
    summary: "50 runners claim 10,000 queued runs, with none and with --rows runs behind them",
    parts: [],
    run: benchRuns,
  },
  postgres: {
    summary: "tickets of one process on PostgreSQL, against pgbench with the same statements",
    parts: [],
    run: benchPostgres,
  },
  move: {
    summary: "intake db move to PostgreSQL and back, and again with a kill in each of --rounds",
    parts: [],
    run: benchMove,
  },
  backup: {
    summary: "tickets beside a backup, and how long and large the first and the second one are",
    parts: backupParts,
    run: benchBackup,
  },
  client: {
    summary: "what a call of the SDK costs in Node and Bun, against fetch, openapi-fetch and ky",
    parts: [],
    run: benchClient,
  },
};

/**
 * `bun run bench NAME`. Numbers decide how `compare` ends, and no other: 0 whatever they are, 1 when nothing could be
 * measured or rows were lost, 2 for a call that makes no sense.
 */
async function main([name, ...rest]: string[]): Promise<number> {
  if (name === undefined || name === "--help") return say(help());
  if (name === "compare") return compare(rest);
  if (name === "--write") {
    const count = rest.findIndex((arg) => arg.startsWith("-")) >>> 0;
    return write(count === 0 || rest.length === 0 ? Object.keys(benches) : rest.slice(0, count), rest.slice(count));
  }
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
  if (!bench) return refuse(`there is no bench ${name}\n\n${help()}`);
  if (rest.includes("--help")) return say(help());
  const options = parseOptions(rest, bench);
  if (typeof options === "string") return refuse(`${options}\n\n${help()}`);
  if (options.write)
    return write(
      [name],
      rest.filter((arg) => arg !== "--write"),
    );
  if (!options.sqlTimes) return measure(() => bench.run(options));
  const { load } = bench;
  if (!load) return refuse(`${name} has no load whose SQL statements could be timed\n\n${help()}`);
  return measure(() => showStatementTimes(name, load(), options.seconds));
}

/** One bench after the other; each section is written when its bench has ended well. */
async function write(names: readonly string[], flags: string[]): Promise<number> {
  const runs: { name: string; run: (print: BenchOptions["print"]) => Promise<boolean> }[] = [];
  for (const name of names) {
    const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
    if (!bench) return refuse(`there is no bench ${name}\n\n${help()}`);
    const options = parseOptions([...flags, "--write"], bench);
    if (typeof options === "string") return refuse(`${options}\n\n${help()}`);
    runs.push({ name, run: (print) => bench.run({ ...options, print }) });
  }
  return measure(async () => {
    for (const { name, run } of runs) {
      let report = "";
      const right = await run((text) => {
        report = text;
      });
      process.stdout.write(`${report}\n`);
      if (!right) return false;
      await writeNumbers(name, report);
    }
    return true;
  });
}

async function compare(args: string[]): Promise<number> {
  const usage = compareHelp.join("\n");
  if (args.includes("--help")) return say(usage);
  const options = parseCompare(args);
  if (typeof options === "string") return refuse(`${options}\n\n${usage}`);
  const sides = await findSides(options);
  if (typeof sides === "string") return refuse(sides);
  return measure(() => benchCompare(options, sides));
}

async function measure(run: () => Promise<boolean>): Promise<number> {
  cleanUpOnSignals();
  try {
    return (await run()) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`could not measure: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  } finally {
    cleanUp();
  }
}

function help(): string {
  const list = Object.entries(benches).flatMap(([name, { summary, parts }]) => [
    `  ${name.padEnd(12)}${summary}`,
    ...(parts.length > 0 ? [`${" ".repeat(14)}parts: ${parts.join(", ")}`] : []),
  ]);
  const compared = `  ${"compare".padEnd(12)}this against another commit; see compare --help`;
  return ["bun run bench NAME [flags]", "", ...list, compared, "", ...optionHelp].join("\n");
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function refuse(reason: string): number {
  process.stderr.write(`${reason}\n`);
  return 2;
}

process.exit(await main(process.argv.slice(2)));
