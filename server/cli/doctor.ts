import { resolve } from "node:path";
import { examinePlace, lineOf } from "../app/doctor/examine-place.ts";
import { command } from "./command.ts";
import { endAfterOutput } from "./end-after-output.ts";
import { sqliteVersion } from "./version.ts";

export const doctorCommand = command({
  name: "doctor",
  summary:
    "check the data directory, or the database and the bucket, and say what to do; exit 1 when something is wrong",
  example: "intake doctor --data /var/lib/intake",
  notes:
    "Each finding has a stable code (docs/diagnosis.md lists them). An error is marked FAIL and makes the exit code 1; a warning is marked warn and does not. While a server runs, its public address is asked too, for some seconds at most.",
  async run({ options, io }) {
    const checks = await examinePlace(resolve(options.data), sqliteVersion());
    const ok = checks.every((finding) => finding.ok);
    io.result({ ok, checks }, checks.map(lineOf).join("\n"));
    return endAfterOutput(ok ? 0 : 1);
  },
});
