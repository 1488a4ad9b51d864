import { parseArgs } from "node:util";

export interface BenchOptions {
  /** Of one round. */
  seconds: number;
  rounds: number;
  /** In the big table. */
  rows: number;
  /** One JSON object instead of tables. */
  json: boolean;
  /** The times of SQL statements instead of the bench. */
  sqlTimes: boolean;
  /** Whether the numbers go to docs/benchmarks.md. */
  write: boolean;
  /** Takes the finished report: stdout. */
  print: (report: string) => void;
  /** The parts to measure: all, or those after --only. */
  parts: readonly string[];
}

const numbers = {
  seconds: { fallback: 6, help: "length of a round" },
  rounds: { fallback: 3, help: "rounds of each contestant, interleaved" },
  rows: { fallback: 1_000_000, help: "rows in the big table" },
} as const;

export const optionHelp = [
  ...Object.entries(numbers).map(([name, { fallback, help }]) => `  ${`--${name} N`.padEnd(14)}${help} (${fallback})`),
  `  ${"--only A,B".padEnd(14)}some parts alone, of a bench that has parts`,
  `  ${"--json".padEnd(14)}one JSON object instead of the tables`,
  `${"--sql-times".padEnd(14)}what each SQL statement takes in one round of tickets or ingest, instead of the bench`,
  `${"--write".padEnd(14)}puts the numbers into docs/benchmarks.md; bun run bench --write [NAME…] those of some or all`,
];

/** The options, or what is wrong with them. `parts`: those that the bench has; `seconds`: its own length of a round. */
export function parseOptions(
  args: string[],
  { parts, seconds = numbers.seconds.fallback }: { parts: readonly string[]; seconds?: number },
): BenchOptions | string {
  try {
    const { values } = parseArgs({
      args,
      options: {
        seconds: { type: "string" },
        rounds: { type: "string" },
        rows: { type: "string" },
        only: { type: "string" },
        json: { type: "boolean", default: false },
        "sql-times": { type: "boolean", default: false },
        write: { type: "boolean", default: false },
      },
    });
    const inParts = values.only !== undefined || values.json || values["sql-times"];
    if (values.write && inParts)
      throw new Error("--write takes the whole report, without --only, --json or --sql-times");
    return {
      seconds: count("seconds", values.seconds, seconds),
      rounds: count("rounds", values.rounds),
      rows: count("rows", values.rows),
      json: values.json,
      sqlTimes: values["sql-times"],
      write: values.write,
      print: (report) => process.stdout.write(`${report}\n`),
      parts: values.only === undefined ? parts : choose(values.only, parts),
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function count(
  name: keyof typeof numbers,
  given: string | undefined,
  fallback: number = numbers[name].fallback,
): number {
  if (given === undefined) return fallback;
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new Error(`--${name} must be a whole number above 0`);
  return Number(given);
}

function choose(only: string, parts: readonly string[]): string[] {
  if (parts.length === 0) throw new Error("this bench has no parts, so --only makes no sense");
  const chosen = only.split(",");
  const unknown = chosen.find((part) => !parts.includes(part));
  if (unknown !== undefined) throw new Error(`--only knows ${parts.join(", ")}, not ${unknown}`);
  return chosen;
}
