import { benchClient } from "./client/bench.ts";
import { benchDashboard, dashboardParts } from "./dashboard/bench.ts";
import { benchIngest, ingestParts } from "./ingest/bench.ts";
import { type BenchOptions, optionHelp, parseOptions } from "./options.ts";
import { benchRuns } from "./runs/bench.ts";
import { cleanUp, cleanUpOnSignals } from "./scratch.ts";
import { benchTickets } from "./tickets/bench.ts";
import { benchWebhooks, webhookParts } from "./webhooks/bench.ts";

interface Bench {
  summary: string;
  /** What --only chooses from. */
  parts: readonly string[];
  /** Of a round, where the usual length is too short. */
  seconds?: number;
  /** Writes its report on stdout. False when acknowledged rows are missing. */
  run: (options: BenchOptions) => Promise<boolean>;
}

const benches: Record<string, Bench> = {
  tickets: {
    summary: "POST /api/v1/tickets, durable, against a bare server and Fastify",
    parts: [],
    run: benchTickets,
  },
  ingest: {
    summary: "POST /api/ingest, the same; memory under uploads and gzip bombs",
    parts: ingestParts,
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
  client: {
    summary: "what a call of the SDK costs in Node and Bun, against fetch, openapi-fetch and ky",
    parts: [],
    run: benchClient,
  },
};

/**
 * `bun run bench NAME`. Numbers never decide how it ends: 0 whatever they are, 1 when nothing could be measured or rows
 * were lost, 2 for a call that makes no sense.
 */
async function main([name, ...rest]: string[]): Promise<number> {
  if (name === undefined || name === "--help") {
    process.stdout.write(`${help()}\n`);
    return 0;
  }
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
  if (!bench) return refuse(`there is no bench ${name}`);
  const options = parseOptions(rest, bench);
  if (typeof options === "string") return refuse(options);
  cleanUpOnSignals();
  try {
    return (await bench.run(options)) ? 0 : 1;
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
  return ["bun run bench NAME [flags]", "", ...list, "", ...optionHelp].join("\n");
}

function refuse(reason: string): number {
  process.stderr.write(`${reason}\n\n${help()}\n`);
  return 2;
}

process.exit(await main(process.argv.slice(2)));
