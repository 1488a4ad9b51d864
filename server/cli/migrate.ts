import { requireDataFolder } from "../app/data-folder.ts";
import { DataLock } from "../app/lock.ts";
import { databaseUrl, usesDatabase } from "../app/place-variables.ts";
import { migrate, migrationStatus } from "../store/migrate.ts";
import { migrations } from "../store/migrations/index.ts";
import { listCopies } from "../store/upgrade-copies.ts";
import { faultOfCopy } from "../store/verify-copy.ts";
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
    name: "migrate copies",
    summary: "list the copies of the database that upgrades made before they began, newest first",
    options: {
      verify: flag("read all of every copy now (pages, references, schema); exit 1 when one is not sound"),
    },
    example: "intake migrate copies --verify",
    notes: "Every copy was verified when it was made. `committed` says whether its upgrade was.",
    async run({ options, io }) {
      if (usesDatabase()) {
        throw new UsageError(
          "INTAKE_DATABASE_URL is set: upgrades of PostgreSQL make no copies, back it up with its own tools",
        );
      }
      const items = listCopies(requireDataFolder(options.data)).map((copy) => {
        const fault = options.verify ? faultOfCopy(copy) : undefined;
        const verified = options.verify ? (fault === undefined ? "now" : `no: ${fault}`) : "when made";
        const { path, from, to, madeAt, bytes, begun } = copy;
        return {
          schema: from,
          upgradedTo: to,
          madeAt,
          bytes,
          committed: !begun,
          verified,
          path,
          sound: fault === undefined,
        };
      });
      const shown = items.map(({ sound: _, ...item }) => item);
      io.page({ items: shown, next: null }, [
        "schema",
        "upgradedTo",
        "madeAt",
        "bytes",
        "committed",
        "verified",
        "path",
      ]);
      return items.every(({ sound }) => sound) ? 0 : 1;
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
