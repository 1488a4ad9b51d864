import { parseArgs } from "node:util";
import { table } from "../table.ts";
import { type Assumption, costs, load, site, trouble } from "./costs.ts";
import { latencyOf } from "./latency.ts";
import { type Costs, type Failure, failures, type Load, type PlanStep, type Site, sizesOf, steps } from "./model.ts";

/**
 * `bun test/bench/scale/simulate.ts [--step STEP] [--failure FAILURE] [--reports 100000 …] [--json]`: machines, bytes and
 * latency of a load, for each step of the plan in docs/scaling.md. Every assumption is an option.
 */
const groups = { load, costs, site, trouble };
const assumptions: Readonly<Record<string, Assumption>> = Object.assign({}, ...Object.values(groups));

/** `reportBytes` is `--report-bytes`. */
const flagOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function help(): string {
  const rows = Object.entries(assumptions).map(([name, { value, unit, source }]) => [
    `--${flagOf(name)}`,
    `${value.toLocaleString("en")} ${unit}`.trim(),
    source,
  ]);
  const width = Math.max(...rows.map(([flag = ""]) => flag.length));
  const second = Math.max(...rows.map(([, value = ""]) => value.length));
  const lines = rows.map(
    ([flag = "", value = "", source = ""]) => `  ${flag.padEnd(width)}  ${value.padStart(second)}  ${source}`,
  );
  return `bun test/bench/scale/simulate.ts [--step ${steps.join("|")}] [--failure ${failures.join("|")}] [--json]
Without --step or --failure: all of them. Assumptions, and where they come from:
${lines.join("\n")}
`;
}

export function simulate(given: {
  load: Load;
  costs: Costs;
  site: Site;
  trouble: Record<keyof typeof trouble, number>;
  steps: readonly PlanStep[];
  failures: readonly Failure[];
}) {
  return given.steps.map((step) => {
    const sizes = sizesOf(given.load, given.costs, given.site, step);
    const latency = given.failures.map((failure) => {
      return { failure, ...latencyOf({ ...given, step }, sizes, { failure, ...given.trouble }) };
    });
    return { step, ...sizes, latency };
  });
}

/** The assumptions of one group, with what the options say instead. */
function chosen<Name extends string>(
  group: Readonly<Record<Name, Assumption>>,
  values: Readonly<Record<string, unknown>>,
): Record<Name, number> {
  const names = Object.keys(group) as Name[];
  return Object.fromEntries(names.map((name) => [name, Number(values[flagOf(name)] ?? group[name].value)])) as Record<
    Name,
    number
  >;
}

function main(args: string[]): number {
  const { values } = parseArgs({
    args,
    options: {
      ...Object.fromEntries(Object.keys(assumptions).map((name) => [flagOf(name), { type: "string" as const }])),
      step: { type: "string" },
      failure: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const wantedSteps = steps.filter((step) => (values["step"] ?? step) === step);
  const wantedFailures = failures.filter((failure) => (values["failure"] ?? failure) === failure);
  const given = {
    load: chosen(load, values),
    costs: chosen(costs, values),
    site: chosen(site, values),
    trouble: chosen(trouble, values),
  };
  const isWrong = Object.values(given).some((group) => Object.values(group).some((number) => !(number >= 0)));
  if (values["help"]) {
    process.stdout.write(help());
    return 0;
  }
  if (isWrong || wantedSteps.length === 0 || wantedFailures.length === 0) {
    process.stderr.write(help());
    return 2;
  }
  const result = simulate({ ...given, steps: wantedSteps, failures: wantedFailures });
  process.stdout.write(values["json"] ? `${JSON.stringify({ ...given, result })}\n` : present(result));
  return 0;
}

function present(result: ReturnType<typeof simulate>): string {
  const sizes = table(
    [
      "",
      "machines",
      "databases",
      "their CPU",
      "their disk",
      "rows/day",
      "log/day",
      "objects/day",
      "PUT/s",
      "carries",
      "full first",
    ],
    result.map(({ step, processMachines, databases, databaseUse, bytesPerDay, putsPerSecond, carries }) => [
      step,
      String(processMachines),
      String(databases),
      percent(databaseUse.processor),
      percent(databaseUse.disk),
      terabytes(bytesPerDay.database),
      terabytes(bytesPerDay.log),
      terabytes(bytesPerDay.storage),
      putsPerSecond.toFixed(0),
      `${carries.times.toFixed(carries.times < 10 ? 1 : 0)} ×`,
      carries.first,
    ]),
  );
  const latencies = table(
    ["", "p50 ms", "p99 ms", "503"],
    result.flatMap(({ step, carries, latency }) =>
      latency.map(({ failure, p50Milliseconds, p99Milliseconds, refused }) => [
        `${step}, ${failure === "none" ? "all well" : failure}${carries.times >= 1 ? "" : " (too much for its databases)"}`,
        p50Milliseconds.toFixed(0),
        p99Milliseconds.toFixed(0),
        percent(refused),
      ]),
    ),
  );
  return `${sizes}\n\n${latencies}\n`;
}

const percent = (share: number) => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
const terabytes = (bytes: number) => `${(bytes / 1e12).toFixed(2)} TB`;

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
