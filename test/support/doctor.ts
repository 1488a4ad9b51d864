import { run } from "./binary.ts";
import { onPostgres } from "./databases.ts";

/** What `intake doctor` finds wrong with a data directory, as `check: text`. */
export async function faultsFound(folder: string): Promise<string[]> {
  const { stdout, stderr } = await run(["doctor", "--json", "--data", folder]);
  if (stderr !== "") throw new Error(stderr);
  const { checks } = JSON.parse(stdout) as { checks: { check: string; ok: boolean; text: string }[] };
  // The server that test processes share is never killed, so it runs without syncs.
  const bad = checks.filter(({ check, ok }) => !ok && !(onPostgres && check === "durability"));
  return bad.map(({ check, text }) => `${check}: ${text}`);
}
