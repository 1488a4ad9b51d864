import { placeVariables } from "../app/place-variables.ts";
import type { Command } from "./command.ts";

const prefix = "INTAKE_";
/** Variables that have no flag: secrets, which other users would read in the list of processes, and one for development. */
const others = ["INTAKE_TOKEN", "INTAKE_TOKEN_FILE", ...placeVariables, "INTAKE_SQL_TIMES"];
/** Variables that the runner sets for the command of an agent run. */
const runPrefix = "INTAKE_RUN_";
/** How many letters may differ between a variable's name and that of a setting it is taken for. */
const distanceMax = 3;

/** Variables that look like settings but are none, each with the setting of the nearest name. */
export function unknownVariables(
  commands: readonly Command[],
  environment: NodeJS.ProcessEnv,
): { name: string; nearest: string | undefined }[] {
  const known = new Set(others);
  for (const { options } of commands) {
    for (const { env } of Object.values(options)) if (env) known.add(env).add(`${env}_FILE`);
  }
  return Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && !name.startsWith(runPrefix) && !known.has(name))
    .map((name) => ({ name, nearest: nearestTo(name, known) }));
}

function nearestTo(name: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let least = distanceMax + 1;
  for (const candidate of known) {
    const distance = editDistance(name, candidate);
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** The Levenshtein distance of two names. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
