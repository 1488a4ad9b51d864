import { parseArgs } from "node:util";

export interface BenchOptions {
  /** Of one round. */
  seconds: number;
  rounds: number;
  /** In the big table. */
  rows: number;
  /** One JSON object instead of tables. */
  json: boolean;
}

const numbers = {
  seconds: { fallback: 6, help: "length of a round" },
  rounds: { fallback: 3, help: "rounds of each contestant, interleaved" },
  rows: { fallback: 1_000_000, help: "tickets in the big table" },
} as const;

export const optionHelp = [
  ...Object.entries(numbers).map(([name, { fallback, help }]) => `  ${`--${name} N`.padEnd(14)}${help} (${fallback})`),
  `  ${"--json".padEnd(14)}one JSON object instead of the tables`,
];

/** The options, or what is wrong with them. */
export function parseOptions(args: string[]): BenchOptions | string {
  try {
    const { values } = parseArgs({
      args,
      options: {
        seconds: { type: "string" },
        rounds: { type: "string" },
        rows: { type: "string" },
        json: { type: "boolean", default: false },
      },
    });
    return {
      seconds: count("seconds", values.seconds),
      rounds: count("rounds", values.rounds),
      rows: count("rows", values.rows),
      json: values.json,
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function count(name: keyof typeof numbers, given: string | undefined): number {
  if (given === undefined) return numbers[name].fallback;
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new Error(`--${name} must be a whole number above 0`);
  return Number(given);
}
