import { resolve } from "node:path";
import { requireDatabase } from "../app/data-folder.ts";
import { examine, type Finding } from "../app/doctor.ts";
import { databaseUrl } from "../app/place-variables.ts";
import { migrations } from "../store/migrations/index.ts";
import { command } from "./command.ts";
import { sqliteVersion } from "./version.ts";

export const doctorCommand = command({
  name: "doctor",
  summary:
    "check the data directory, or the database and the bucket, and say what to do; exit 1 when something is wrong",
  example: "intake doctor --data /var/lib/intake",
  async run({ options, io }) {
    const checks = await examined(resolve(options.data));
    const ok = checks.every((finding) => finding.ok);
    const text = checks.map((finding) => `${finding.ok ? "ok  " : "FAIL"}  ${finding.check}: ${finding.text}`);
    io.result({ ok, checks }, text.join("\n"));
    return ok ? 0 : 1;
  },
});

async function examined(folder: string): Promise<Finding[]> {
  const database = databaseUrl();
  if (database !== undefined) {
    const { examineOnDatabase } = await import("../app/doctor-on-database.ts");
    return examineOnDatabase(database, folder);
  }
  requireDatabase(folder);
  return examine(folder, sqliteVersion(), migrations);
}
