import { requireDataFolder } from "../app/data-folder.ts";
import { DataLock } from "../app/lock.ts";
import { databaseUrl } from "../app/place-variables.ts";
import { migrate, migrationStatus } from "../store/migrate.ts";
import { migrations } from "../store/migrations/index.ts";
import { command } from "./command.ts";
import { flag, UsageError } from "./options.ts";

export const migrateCommands = [
  command({
    name: "migrate status",
    summary: "show the schema version of the database and the one that this binary needs",
    example: "intake migrate status",
    async run({ options, io }) {
      const database = databaseUrl();
      io.result(
        database === undefined
          ? migrationStatus(requireDataFolder(options.data), migrations)
          : await (await import("../app/on-database.ts")).statusOnDatabase(database),
      );
    },
  }),
  command({
    name: "migrate up",
    summary:
      "migrate the database to the schema of this binary, all or nothing, after making a verified copy (serve does the same)",
    options: {
      contract: flag("PostgreSQL: also make the steps that take away what older processes use; refused while one runs"),
    },
    example: "intake migrate up",
    async run({ options, io }) {
      const database = databaseUrl();
      if (database === undefined && options.contract) {
        throw new UsageError("--contract is for PostgreSQL: name a database with INTAKE_DATABASE_URL");
      }
      if (database !== undefined) {
        const { migrateOnDatabase, statusOnDatabase } = await import("../app/on-database.ts");
        await migrateOnDatabase(database, (text) => io.note(text), { contract: options.contract });
        return io.result(await statusOnDatabase(database));
      }
      const folder = requireDataFolder(options.data);
      const lock = new DataLock(folder, "migrate up");
      try {
        migrate(folder, migrations, (text) => io.note(text));
        io.result(migrationStatus(folder, migrations));
      } finally {
        lock.release();
      }
    },
  }),
];
