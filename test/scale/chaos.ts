import { parseArgs } from "node:util";
import { type FaultName, faults } from "./chaos/faults.ts";
import { type FaultReport, runFaults } from "./chaos/run-faults.ts";

const help = `bun run chaos FAULT [--rounds N] [--processes N] [--seed N] [--json]

Starts PostgreSQL, an S3 server and processes of the compiled binary, all on this machine, lets a fault happen again and
again while clients send tickets and reports, and then looks for everything that was acknowledged. Ends with 1 when
anything is lost, double or otherwise wrong.

${Object.entries(faults)
  .map(([name, { summary, rounds }]) => `  ${name.padEnd(11)}${summary} (${rounds} rounds)`)
  .join("\n")}
`;

function optionsOf(args: string[]) {
  const text = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { rounds: text, processes: text, seed: text, json: { type: "boolean" }, help: { type: "boolean" } },
  });
  const [fault = ""] = positionals;
  if (values.help) return "help" as const;
  if (!(fault in faults)) return undefined;
  const name = fault as FaultName;
  return {
    fault: name,
    rounds: whole("rounds", values.rounds, faults[name].rounds),
    processes: whole("processes", values.processes, 3),
    seed: whole("seed", values.seed, Date.now() % 1_000_000),
    json: values.json ?? false,
  };
}

function whole(name: string, given: string | undefined, fallback: number): number {
  if (given === undefined) return fallback;
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new Error(`--${name} must be a whole number above 0`);
  return Number(given);
}

function summaryOf({ fault, rounds, processes, seconds, acknowledged, recovery, answers, ...report }: FaultReport) {
  const { tickets, reports, attachments, deliveries, replays } = acknowledged;
  const statuses = Object.entries(answers).map(([status, count]) => `${status}: ${count}`);
  return [
    `${fault}: ${rounds} rounds, ${processes} processes, ${seconds} s, seed ${report.seed}`,
    `${tickets} tickets, ${reports} reports, ${attachments} attachments and ${deliveries} deliveries acknowledged`,
    `${report.lost} lost, ${report.doubled} doubled, ${replays} repeats answered as the first time`,
    `working again after ${recovery.p50} ms (p50), ${recovery.max} ms (max)`,
    `answers ${statuses.join(", ")}`,
    `${report.faults.length === 0 ? "passed" : "FAILED"}\n`,
  ].join("; ");
}

const options = optionsOf(process.argv.slice(2));
if (options === "help") {
  process.stdout.write(help);
  process.exit(0);
}
if (!options) {
  process.stderr.write(help);
  process.exit(2);
}
const report = await runFaults({ ...options, progress: (text) => process.stderr.write(`${text}\n`) });
for (const fault of report.faults) process.stderr.write(`${fault}\n`);
process.stdout.write(options.json ? `${JSON.stringify(report)}\n` : summaryOf(report));
process.exit(report.faults.length === 0 ? 0 : 1);
