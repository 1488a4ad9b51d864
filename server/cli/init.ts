import { createOrganisation } from "../access/create-organisation.ts";
import { requireEmail, requireName, requirePassword } from "../access/names.ts";
import { makeDataFolder } from "../ops/data-folder.ts";
import { DataLock } from "../ops/lock.ts";
import { migrate } from "../store/migrate.ts";
import { migrations } from "../store/migrations/index.ts";
import { command } from "./command.ts";
import { checked, readSecret, required, text, UsageError } from "./options.ts";
import { openForCommand, operatorContext } from "./with-store.ts";

export const initCommand = command({
  name: "init",
  summary:
    "make the organisation with its admin, AI agent, first project, API token and SDK key; secrets are shown this once",
  options: {
    org: required(checked("N", "name of the organisation", requireName)),
    "admin-email": required(checked("E", "e-mail address of the admin", requireEmail)),
    "admin-password-file": text("F", "file that holds the admin's password; one is made when absent"),
  },
  example: "intake init --org Example --admin-email ada@example.org",
  async run({ options, io }) {
    const passwordFile = options["admin-password-file"];
    const adminPassword = passwordFile === undefined ? undefined : readPassword(passwordFile);
    const folder = makeDataFolder(options.data);
    const lock = new DataLock(folder, "init");
    try {
      migrate(folder, migrations, (text) => io.note(text));
      const store = openForCommand(folder);
      try {
        const input = { organisation: options.org, adminEmail: options["admin-email"], adminPassword };
        io.result(await createOrganisation({ ctx: operatorContext(folder, store), input }));
      } finally {
        await store.close();
      }
    } finally {
      lock.release();
    }
  },
});

function readPassword(file: string): string {
  try {
    return requirePassword(readSecret(file));
  } catch (error) {
    throw new UsageError(`--admin-password-file: ${(error as Error).message}`);
  }
}
