import type { MoveEstimate } from "../app/move/estimate-move.ts";
import type { Moved } from "../app/move/move.ts";
import { databaseUrl } from "../app/place-variables.ts";
import { command } from "./command.ts";
import { flag, UsageError } from "./options.ts";
import { outputOf } from "./output-of.ts";

export const dbCommands = [
  command({
    name: "db move",
    summary:
      "move everything from the data directory to PostgreSQL and object storage, or back; the server must be stopped",
    options: {
      back: flag("from PostgreSQL and object storage into the data directory, which must be empty"),
      "dry-run": flag("say what would move and how long it would take, by a trial that leaves nothing behind"),
    },
    example: "intake db move --data /var/lib/intake --dry-run",
    notes: [
      "The database and the bucket are those of `serve`: INTAKE_DATABASE_URL or INTAKE_DATABASE_URL_FILE, INTAKE_FILES, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and INTAKE_SECRET_KEY_FILE. Both ends need the schema of this binary, and the new one must be empty.",
      "",
      "After a kill at any moment the same command goes on where it was. At the end the rows of both ends are compared, and the old end is marked: a server refuses it and names the new one. The search index is made again by the first server that starts.",
    ].join("\n"),
    async run({ options, io }) {
      const url = databaseUrl();
      if (url === undefined) {
        throw new UsageError(
          "INTAKE_DATABASE_URL is not set: it names the database, postgres://user@host:5432/database",
        );
      }
      const { moveBetween } = await import("../app/move/move-between.ts");
      const input = { data: options.data, url, back: options.back, dryRun: options["dry-run"], out: outputOf(io) };
      const done = await moveBetween(input);
      io.result(done, "measured" in done ? estimated(done) : moved(done));
    },
  }),
];

function moved({ from, to, moved }: Moved): string {
  if (!moved) return `everything had been moved from ${from} to ${to}; nothing was left to do`;
  const { rows, attachments, keysCompared, seconds } = moved;
  return [
    `moved ${count(rows)} rows and ${count(attachments.files)} attachments from ${from} to ${to} in ${seconds} s`,
    `the rows of both ends are the same, and so are the stored answers of ${count(keysCompared)} idempotency keys`,
    ...listed("had no file already before", attachments.missing),
    ...listed("have other bytes than their row says, and were moved as they are", attachments.differing),
  ].join("\n");
}

function listed(what: string, ids: readonly string[]): string[] {
  return ids.length === 0 ? [] : [`${count(ids.length)} attachments ${what}: ${ids.slice(0, 5).join(", ")}`];
}

function estimated({ from, to, rows, tables, attachments, measured, seconds }: MoveEstimate): string {
  return [
    `would move ${count(rows)} rows and ${count(attachments.files)} attachments (${count(attachments.bytes)} bytes) from ${from} to ${to}`,
    ...Object.entries(tables).map(([name, rows]) => `  ${name}: ${count(rows)}`),
    `measured: ${count(measured.rowsPerSecond)} rows/s, ${count(measured.fileBytesPerSecond)} bytes/s and ${measured.fileMilliseconds} ms for a file`,
    `it would take about ${count(seconds)} s; nothing was moved`,
  ].join("\n");
}

function count(number: number): string {
  return number.toLocaleString("en");
}
