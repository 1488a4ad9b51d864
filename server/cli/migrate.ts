import { requireDataFolder } from "../app/data-folder.ts";
import { DataLock } from "../app/lock.ts";
import { databaseUrl, secretKeyFile, usesDatabase } from "../app/place-variables.ts";
import type { PlannedBack, WentBack } from "../app/upgrade/go-back.ts";
import { migrate, migrationStatus } from "../store/migrate.ts";
import { migrations } from "../store/migrations/index.ts";
import { listCopies } from "../store/upgrade-copies.ts";
import { faultOfCopy } from "../store/verify-copy.ts";
import { command } from "./command.ts";
import { CommandFailed } from "./failure.ts";
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
    summary: "list the copies of the database that upgrades, and going back, made before they began, newest first",
    options: {
      verify: flag("read all of every copy now (pages, references, schema); exit 1 when one is not sound"),
    },
    example: "intake migrate copies --verify",
    notes:
      "Copies that upgrades made were verified when they were made. `nextSchema` is the one that the database got then, and `committed` says whether the upgrade was.",
    async run({ options, io }) {
      requireFolder();
      const items = listCopies(requireDataFolder(options.data)).map((copy) => {
        const fault = options.verify ? faultOfCopy(copy) : undefined;
        const verified = options.verify ? (fault === undefined ? "now" : `no: ${fault}`) : "when made";
        const { path, from, to, madeAt, bytes, begun } = copy;
        return {
          schema: from,
          nextSchema: to,
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
        "nextSchema",
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
    name: "migrate back",
    summary: "put the copy that an upgrade made in the place of the database; the server must be stopped",
    words: ["[COPY]"],
    options: { yes: flag("do not ask for confirmation; needed without a terminal") },
    example: "intake migrate back --data /var/lib/intake",
    notes: [
      "COPY is a name or path that `migrate copies` lists; without it, the copy of the newest upgrade. The copy is read and compared first: the command says how many tickets and reports were stored since it was made, which are out of sight afterwards, and changes nothing before that is confirmed.",
      "",
      "The replaced database is kept as a copy too, with the attachments that only it names, and the same command goes back to it. After a kill at any moment the database is the old or the new one, whole. Then start an intake of the copy's schema: a newer one would upgrade it again.",
    ].join("\n"),
    async run({ options, words: [copy], io }) {
      requireFolder();
      const folder = requireDataFolder(options.data);
      const { goBack } = await import("../app/upgrade/go-back.ts");
      const went = await goBack({
        folder,
        copy,
        known: migrations,
        secretKey: secretKeyFile(folder),
        progress: (text) => io.progress(text),
        async confirm(planned) {
          io.progress("");
          for (const line of lossOf(planned)) io.note(line);
          if (options.yes) return true;
          if (!io.interactive) throw new CommandFailed("nothing was changed; say --yes to go back");
          return io.confirm("Go back to this copy?");
        },
      });
      io.progress("");
      if (!went) throw new CommandFailed("nothing was changed");
      io.result(went, wentBack(went));
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

/** Copies are of a database in a folder alone. */
function requireFolder() {
  if (!usesDatabase()) return;
  throw new UsageError(
    "INTAKE_DATABASE_URL is set: upgrades of PostgreSQL make no copies, back it up with its own tools",
  );
}

function lossOf({ copy, madeAt, schema, lost, returning }: PlannedBack): string[] {
  const came = [counted(returning.tickets, "ticket"), counted(returning.reports, "report")].join(" and ");
  return [
    `The database goes back from schema ${schema.from} to ${schema.to}, as it was on ${madeAt} (${copy}).`,
    `Out of sight afterwards: ${counted(lost.tickets, "ticket")} and ${counted(lost.reports, "report")} stored since then, and every other change since then (comments, moved cards, settings, members, idempotency keys).`,
    `There again: ${came} deleted since then. Deliveries and runs that were done since then may be done again.`,
  ];
}

function counted(count: number | null, one: string): string {
  return count === null ? `an unknown number of ${one}s` : `${count} ${one}${count === 1 ? "" : "s"}`;
}

function wentBack({ schema, kept, keptAttachments }: WentBack): string {
  const newest = migrations.at(-1)?.number ?? 0;
  return [
    `the database has schema ${schema.to}`,
    `the one before it (schema ${schema.from}) is kept, with ${keptAttachments} attachments: ${kept}`,
    ...(schema.to < newest
      ? [`now start an intake of schema ${schema.to}: this one would upgrade the database to ${newest} again`]
      : []),
  ].join("\n");
}
