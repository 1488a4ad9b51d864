import { requirePassword } from "../accounts/require-password.ts";
import { makeDataFolder } from "../app/data-folder.ts";
import { DataLock } from "../app/lock.ts";
import { requireNotMoved } from "../app/moved-folder.ts";
import { databaseUrl } from "../app/place-variables.ts";
import type { Context } from "../core/context.ts";
import { requireEmail, requireName } from "../core/names.ts";
import { createOrganisation } from "../organisation/create-organisation.ts";
import { migrate } from "../store/migrate.ts";
import { migrations } from "../store/migrations/index.ts";
import { command, commonOptions } from "./command.ts";
import { checked, readSecret, required, text, UsageError } from "./options.ts";
import { withStore } from "./with-store.ts";

export const initCommand = command({
  name: "init",
  summary:
    "create the organisation with its admin, AI agent, first project, API token and SDK key; secrets are shown only once",
  options: {
    org: required(checked("N", "name of the organisation", requireName)),
    "admin-email": required(checked("E", "e-mail address of the admin", requireEmail)),
    "admin-password-file": text("F", "file with the admin's password; without it a password is made and printed"),
  },
  example: "intake init --org Example --admin-email ada@example.org",
  async run({ options, io }) {
    const passwordFile = options["admin-password-file"];
    const adminPassword = passwordFile === undefined ? undefined : readPassword(passwordFile);
    const folder = makeDataFolder(options.data);
    const input = { organisation: options.org, adminEmail: options["admin-email"], adminPassword };
    const create = async (ctx: Context) => {
      io.result(await createOrganisation({ ctx, input }));
      if (!options.json) io.note(nextSteps(options.data));
    };
    const database = databaseUrl();
    if (database !== undefined) {
      const { migrateOnDatabase } = await import("../app/on-database.ts");
      await migrateOnDatabase(database, (text) => io.note(text));
      return withStore(folder, create);
    }
    const lock = new DataLock(folder, "init");
    try {
      requireNotMoved(folder);
      migrate(folder, migrations, (text) => io.note(text));
      await withStore(folder, create);
    } finally {
      lock.release();
    }
  },
});

/** Printed after the secrets, which are shown only once. */
function nextSteps(data: string): string {
  const folder = data === commonOptions.data.absent ? "" : ` --data ${quoted(data)}`;
  return `
Next: intake serve${folder}
Then: INTAKE_URL=http://127.0.0.1:3000 INTAKE_TOKEN=<apiToken.token> intake ticket create --title "First ticket"
Or sign in at http://127.0.0.1:3000 with the e-mail address and password above.`;
}

/** The text quoted for a shell. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function readPassword(file: string): string {
  try {
    return requirePassword(readSecret(file));
  } catch (error) {
    throw new UsageError(`--admin-password-file: ${(error as Error).message}`);
  }
}
