import { parseArgs } from "node:util";
import { measureLimits } from "./measures/limits.ts";
import { measureTakeover } from "./measures/takeover.ts";
import { measureUploads } from "./measures/uploads.ts";

const progress = (text: string) => void process.stderr.write(`${text}\n`);

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;

/** Each prints what it measured, and says whether that is what docs/scaling.md promises. */
const measures = {
  takeover: {
    summary: "how long deliveries, runs and duties of a killed process wait for another one (10 rounds)",
    async run(rounds = 10): Promise<boolean> {
      const takeovers = await measureTakeover({ rounds, progress });
      const [p50, max] = [0.5, 1].map((share) => (all: number[]) => Math.round(quantile(all, share)));
      for (const [what, all] of Object.entries(takeovers) as [string, number[]][]) {
        process.stdout.write(`${what}: p50 ${p50?.(all)} ms, max ${max?.(all)} ms, ${all.length} rounds\n`);
      }
      return Object.values(takeovers).every((all) => Math.max(...all) <= 12_000);
    },
  },
  limits: {
    summary: "how many requests limits let through at four processes (100,000 requests)",
    async run(requests = 100_000): Promise<boolean> {
      const reports = await measureLimits({ processes: 4, requests, progress });
      for (const { limit, requests: sent, admitted, admittedFirst, overruns } of reports) {
        process.stdout.write(
          `limit ${limit}: ${sent} requests, ${admitted} let through, ${admittedFirst} in the first 60 s, more than ${limit} in ${overruns} spans of 60 s\n`,
        );
      }
      return reports.every(({ limit, admittedFirst, overruns }) => admittedFirst === limit && overruns === 0);
    },
  },
  uploads: {
    summary: "the memory of a process with 32 uploads of 24 MiB at once",
    async run(): Promise<boolean> {
      const { statuses, residentBefore, residentPeak } = await measureUploads();
      const stored = statuses.filter((status) => status === 200).length;
      process.stdout.write(
        `${stored} of ${statuses.length} uploads stored; resident before ${megabytes(residentBefore)}, at most ${megabytes(residentPeak)}\n`,
      );
      return stored === statuses.length && residentPeak <= 200e6;
    },
  },
};

function quantile(all: readonly number[], share: number): number {
  const sorted = all.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { count: { type: "string" } } });
const [name = ""] = positionals;
if (!(name in measures)) {
  const lines = Object.entries(measures).map(([each, { summary }]) => `  ${each.padEnd(11)}${summary}`);
  process.stderr.write(`bun test/scale/measure.ts NAME [--count N]\n\n${lines.join("\n")}\n`);
  process.exit(2);
}
const { run } = measures[name as keyof typeof measures];
process.exit((await run(values.count === undefined ? undefined : Number(values.count))) ? 0 : 1);
