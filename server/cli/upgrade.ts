import { requireDataFolder } from "../app/data-folder.ts";
import { databaseUrl } from "../app/place-variables.ts";
import type { UpgradeCheck } from "../app/upgrade/check-upgrade.ts";
import { megabytes } from "../store/upgrade-space.ts";
import { command } from "./command.ts";

export const upgradeCommands = [
  command({
    name: "upgrade check",
    summary: "say what another binary would change, by upgrading a copy of the database with it",
    words: ["FILE"],
    example: "intake upgrade check ./intake-new --data /var/lib/intake",
    notes: [
      "FILE is the binary of another intake, which is executed with an environment of its own on a copy in DATA/upgrade-check. A server may run meanwhile. The copy is removed at the end; that of a killed run goes with the next one.",
      "",
      "On PostgreSQL nothing is tried: FILE only says which steps it would make, and gets INTAKE_DATABASE_URL for it.",
    ].join("\n"),
    async run({ options, words: [file = ""], io }) {
      const { checkUpgrade, checkUpgradeOfDatabase } = await import("../app/upgrade/check-upgrade.ts");
      const database = databaseUrl();
      const checked =
        database === undefined
          ? await checkUpgrade(requireDataFolder(options.data), file, (text) => io.progress(text))
          : await checkUpgradeOfDatabase(database, file);
      io.progress("");
      io.result(checked, shown(checked));
    },
  }),
];

function shown({ file, version, schema, pending, rehearsal }: UpgradeCheck): string {
  const times = new Map(rehearsal?.steps.map(({ number, seconds }) => [number, ` (${seconds} s)`]));
  const steps = pending.map(({ number, name }) => `  ${number} ${name}${times.get(number) ?? ""}`);
  return [
    `${file} is intake ${version}`,
    steps.length === 0
      ? `the database has schema ${schema.from} and stays as it is`
      : `it brings the database from schema ${schema.from} to ${schema.to}:`,
    ...steps,
    ...(rehearsal
      ? shownRehearsal(rehearsal, steps.length > 0)
      : ["not tried: on PostgreSQL there is no copy to try it on"]),
  ].join("\n");
}

function shownRehearsal(
  { seconds, neededBytes, freeBytes, settings }: NonNullable<UpgradeCheck["rehearsal"]>,
  steps: boolean,
): string[] {
  const gone = settings.gone.map(({ name, set }) => (set ? `${name} (set in this database)` : name));
  const upgrade = [
    `the upgrade of a copy took ${seconds} s, with the copy that it makes first`,
    `it needs ${megabytes(neededBytes)} free in the data directory, ${megabytes(freeBytes)} are free`,
    "the way back afterwards: intake migrate back, to the copy that the upgrade makes before it begins",
  ];
  return [
    ...(steps ? upgrade : []),
    `settings that go: ${gone.join(", ") || "none"}`,
    `settings that are new: ${settings.added.join(", ") || "none"}`,
  ];
}
