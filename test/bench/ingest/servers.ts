import { join } from "node:path";
import { type Contestant, startIntake, startRival } from "../contestant.ts";
import { freshInstallation } from "../intake.ts";
import { names } from "../names.ts";
import { output } from "../output.ts";
import { rivalCommand } from "../rivals.ts";

export const script = join(import.meta.dir, "requests.lua");

/** More than 32 uploads from one address, and more than 10 GiB in a day, are refused otherwise. */
const roomy = { uploads_per_key: "1000", uploads_per_address: "1000", uploads_total: "1000", daily_bytes: "100TiB" };

export async function startIngest(
  binary: string,
  { uploads = false }: { uploads?: boolean } = {},
): Promise<Contestant> {
  const installation = await freshInstallation(binary);
  for (const [setting, value] of Object.entries(uploads ? roomy : {})) {
    await output([binary, "settings", "set", setting, value, "--data", installation.data]);
  }
  return startIntake(names.intake, installation, installation.sdkKey);
}

export function startBare(): Promise<Contestant> {
  return startRival(names.bare, "ingest.db", (folder, token) => {
    return [process.execPath, join(import.meta.dir, "bare.ts"), folder, "0", token];
  });
}

export function startFastify(name: string, mode: "each" | "grouped" | "streamed"): Promise<Contestant> {
  return startRival(name, "ingest.db", (folder, token) => rivalCommand("ingest-server.js", folder, "0", token, mode));
}
