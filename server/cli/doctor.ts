import { resolve } from "node:path";
import { requireDatabase } from "../app/data-folder.ts";
import { examine } from "../app/doctor/examine-folder.ts";
import type { Finding } from "../app/doctor/finding.ts";
import { databaseUrl } from "../app/place-variables.ts";
import { migrations } from "../store/migrations/index.ts";
import { command } from "./command.ts";
import { sqliteVersion } from "./version.ts";

export const doctorCommand = command({
  name: "doctor",
  summary:
    "check the data directory, or the database and the bucket, and say what to do; exit 1 when something is wrong",
  example: "intake doctor --data /var/lib/intake",
  notes:
    "Each finding has a stable code (docs/diagnosis.md lists them). An error is marked FAIL and makes the exit code 1; a warning is marked warn and does not. While a server runs, its public address is asked too, for some seconds at most.",
  async run({ options, io }) {
    const checks = await examined(resolve(options.data));
    const ok = checks.every((finding) => finding.ok);
    io.result({ ok, checks }, checks.map(lineOf).join("\n"));
    return ok ? 0 : 1;
  },
});

const marks = { ok: "ok  ", warning: "warn", error: "FAIL" } as const;

/** `FAIL  permissions: others can look … [folder_mode]`. */
function lineOf({ severity, check, code, text }: Finding): string {
  return `${marks[severity]}  ${check}: ${text}${code === "ok" ? "" : ` [${code}]`}`;
}

async function examined(folder: string): Promise<Finding[]> {
  const database = databaseUrl();
  if (database !== undefined) {
    const { examineOnDatabase } = await import("../app/doctor/examine-on-database.ts");
    return examineOnDatabase(database, folder);
  }
  requireDatabase(folder);
  return examine(folder, sqliteVersion(), migrations);
}
