import { parseArgs } from "node:util";
import { type Work, works } from "./works.ts";

export interface CompareOptions {
  work: Work;
  /** The old one: a commit or the path of a binary. */
  to: string;
  /** The new one: the path of a binary; the sources of this folder without it. */
  from: string | undefined;
  /** Everything included but building. */
  seconds: number;
  json: boolean;
}

export const compareHelp = [
  "bun run bench compare --to COMMIT|BINARY [WORK] [flags]",
  "",
  "Measures the sources of this folder against another commit, in interleaved pairs.",
  "Ends with 1 when they are surely slower by more than 3 %, or rows were lost.",
  "",
  ...Object.entries(works).map(([name, { summary, seconds }]) => `  ${name.padEnd(12)}${summary} (${seconds} s)`),
  "",
  "  --to OLD      a commit, which is built in a scratch folder, or the path of a binary",
  "  --from NEW    the path of a binary, instead of the sources of this folder",
  "  --seconds N   how long it takes after building",
  "  --json        one JSON object instead of the table",
];

const secondsMin = 40;

/** The options, or what is wrong with them. */
export function parseCompare(args: string[]): CompareOptions | string {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        to: { type: "string" },
        from: { type: "string" },
        seconds: { type: "string" },
        json: { type: "boolean", default: false },
      },
    });
    const [work = "tickets", ...others] = positionals;
    if (others.length > 0) return "compare measures one work at a time";
    if (!isWork(work)) return `compare knows ${Object.keys(works).join(", ")}, not ${work}`;
    const { to, from, json, seconds = String(works[work].seconds) } = values;
    if (to === undefined || to === "") return "compare needs --to COMMIT or --to BINARY";
    if (!/^\d{1,4}$/.test(seconds) || Number(seconds) < secondsMin) {
      return `--seconds must be a whole number from ${secondsMin} to 9999: six pairs take that long`;
    }
    return { work, to, from, seconds: Number(seconds), json };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isWork(name: string): name is Work {
  return Object.hasOwn(works, name);
}
