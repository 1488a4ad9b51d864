import { requireDataFolder } from "../app/data-folder.ts";
import { DataLock } from "../app/lock.ts";
import { migrate, migrationStatus } from "../store/migrate.ts";
import { migrations } from "../store/migrations/index.ts";
import { command } from "./command.ts";

export const migrateCommands = [
  command({
    name: "migrate status",
    summary: "which schema the database has and which this binary wants",
    example: "intake migrate status",
    async run({ options, io }) {
      io.result(migrationStatus(requireDataFolder(options.data), migrations));
    },
  }),
  command({
    name: "migrate up",
    summary: "bring the database to this binary's schema, all or nothing, after a verified copy (serve does the same)",
    example: "intake migrate up",
    async run({ options, io }) {
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
