import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { examine } from "../ops/doctor.ts";
import { databasePath } from "../store/migrate.ts";
import { migrations } from "../store/migrations/index.ts";
import { command } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { sqliteVersion } from "./version.ts";

export const doctorCommand = command({
  name: "doctor",
  summary: "check the data directory and say what to do; exit 1 when something is wrong",
  example: "intake doctor --data /var/lib/intake",
  async run({ options, io }) {
    const folder = resolve(options.data);
    if (!existsSync(databasePath(folder))) {
      throw new CommandFailed(`there is no Intake database in ${folder}; run \`intake init\` first, or give --data`);
    }
    const checks = examine(folder, sqliteVersion(), migrations);
    const ok = checks.every((finding) => finding.ok);
    const text = checks.map((finding) => `${finding.ok ? "ok  " : "FAIL"}  ${finding.check}: ${finding.text}`);
    io.result({ ok, checks }, text.join("\n"));
    return ok ? 0 : 1;
  },
});
