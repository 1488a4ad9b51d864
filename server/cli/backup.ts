import { constants, setPriority, tmpdir } from "node:os";
import { requireDataFolder } from "../app/data-folder.ts";
import { DataLock } from "../app/lock.ts";
import { usesDatabase } from "../app/place-variables.ts";
import type { CreatedBackup } from "../backup/create-backup.ts";
import { isBackupId } from "../backup/manifest.ts";
import { openTarget } from "../backup/open-target.ts";
import { requireApart } from "../backup/target-folder.ts";
import { readKeepRule } from "../core/keep-rule.ts";
import { migrationStatus } from "../store/migrate.ts";
import { migrations } from "../store/migrations/index.ts";
import { command } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { readMoment } from "./moment.ts";
import { noted, noteVerified } from "./note-backup.ts";
import { checked, fallback, flag, integer, parsed, required, text, UsageError } from "./options.ts";
import { outputOf } from "./output-of.ts";
import { withServer } from "./started-by-server.ts";

const where = "INTAKE_BACKUP_TO";
const from = `FROM is the folder or s3://BUCKET/PREFIX?region=REGION with the backups, by default what ${where} names. Object storage needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`;
const id = checked("ID", "the backup; the newest without it", (given) => {
  if (!isBackupId(given)) throw new Error("must be the id of a backup, as intake backup list shows it");
  return given;
});

export const backupCommands = [
  command({
    name: "backup create",
    summary: "make a backup of the data directory, beside the running server or without one",
    options: {
      to: text("DIR|s3://…", "where backups are kept; attachments that are there already are not copied again", {
        env: where,
      }),
      "without-secrets": flag("leave out secret.key; a restore then needs the key from elsewhere"),
    },
    example: "intake backup create --data /var/lib/intake --to /var/backups/intake",
    notes: [
      "The backup holds everything that the server answered before its time. It is one only once its manifest is written, which comes last: a run that was killed leaves no backup, and the next one goes on. Secrets of subscribers stay sealed in it, and secret.key opens them: keep the target as safe as the data directory.",
      "",
      "Object storage needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and room for a copy of the database in DATA/backups for a while.",
    ].join("\n"),
    async run({ options, io }) {
      requireFolder();
      // The server comes first on a machine that is busy; its disk does too, where it heeds priorities.
      setPriority(constants.priority.PRIORITY_LOW);
      const to = targetGiven(options.to, "--to");
      requireApart(options.data, to);
      const folder = requireDataFolder(options.data);
      // Throws for a schema that this binary does not know.
      migrationStatus(folder, migrations);
      const { createBackup } = await import("../backup/create-backup.ts");
      const target = openTarget(to);
      const created = await noted({ folder, to, io }, () =>
        withServer(outputOf(io), (out) => createBackup({ folder, target, secrets: !options["without-secrets"], out })),
      );
      io.progress("");
      io.result(created, shownCreated(created, target.words));
    },
  }),
  command({
    name: "backup list",
    summary: "list backups, newest first",
    words: ["[FROM]"],
    example: "intake backup list /var/backups/intake",
    notes: from,
    async run({ words, io }) {
      const { listBackups } = await import("../backup/list-backups.ts");
      const { listMoments } = await import("../backup/find-moment.ts");
      const target = openTarget(targetGiven(words[0], "FROM"));
      const { backups, unreadable } = await listBackups(target);
      for (const reason of unreadable) io.note(reason);
      if (backups.length === 0) io.note(`there is no backup in ${target.words}`);
      const page = { items: backups, next: null, ...(await listMoments(target)) };
      for (const { from, to } of page.moments)
        io.note(`--at goes back to moments from ${from} to ${to}, at most 10 s apart`);
      for (const { from, to } of page.gaps) io.note(`no moment between ${from} and ${to} can be restored`);
      io.page(page, [
        ...(["id", "asOf", "tickets", "reports", "attachments", "bytes", "addedBytes", "secretKey"] as const),
      ]);
    },
  }),
  command({
    name: "backup verify",
    summary: "read everything of a backup back and check it; exit 1 when anything is not sound",
    words: ["[FROM]"],
    options: { id, scratch: text("DIR", "a folder with room for the database (the system's folder for such files)") },
    example: "intake backup verify /var/backups/intake",
    notes: from,
    async run({ options, words, io }) {
      const [{ findBackup }, { verifyBackup }] = await Promise.all([
        import("../backup/find-backup.ts"),
        import("../backup/verify-backup.ts"),
      ]);
      const target = openTarget(targetGiven(words[0], "FROM"));
      const manifest = await findBackup(target, options.id);
      const note = (failure: string | null) => noteVerified(options.data, io, manifest.id, failure);
      try {
        await withServer(outputOf(io), (out) =>
          verifyBackup({ target, manifest, scratch: options.scratch ?? tmpdir() }, out),
        );
      } catch (error) {
        await note((error as Error).message);
        throw error;
      }
      await note(null);
      io.progress("");
      const { asOf, holds, attachments } = manifest;
      io.result(
        { id: manifest.id, asOf, sound: true, ...holds, attachments: attachments.files },
        `the backup ${manifest.id} of ${asOf} is sound: ${holds.tickets} tickets, ${holds.reports} reports and ${attachments.files} attachments were read back`,
      );
    },
  }),
  command({
    name: "backup prune",
    summary: "remove older backups, and what no backup needs",
    words: ["[FROM]"],
    options: {
      keep: required(
        parsed("RULE", "of so many days, weeks, months and years, the newest backup of each: 7d,4w,12m", readKeepRule),
      ),
      "keep-id": text("ID", "keep this backup too, whatever the rule says"),
      "log-days": fallback(
        integer("N", "of so many days before the newest backup, any moment that the log reaches can be restored", {
          min: 0,
          max: 3_650,
        }),
        7,
      ),
      "dry-run": flag("say what would be removed, and remove nothing"),
    },
    example: "intake backup prune /var/backups/intake --keep 7d,4w,12m",
    notes: `${from} The newest backup always stays.`,
    async run({ options, words, io }) {
      const { pruneBackups } = await import("../backup/prune-backups.ts");
      const target = openTarget(targetGiven(words[0], "FROM"));
      const pruned = await withServer(outputOf(io), (out) =>
        pruneBackups(
          {
            target,
            keep: options.keep,
            keepId: options["keep-id"],
            logDays: options["log-days"],
            dryRun: options["dry-run"],
          },
          out,
        ),
      );
      io.progress("");
      io.result(pruned);
      if (options["dry-run"]) io.note("nothing was removed: this is what would be");
    },
  }),
  command({
    name: "restore",
    summary: "restore a backup to a data directory that is missing or empty",
    words: ["[FROM]"],
    options: {
      id,
      at: parsed(
        "TIME",
        "restore the newest moment not after this time that segments of the log reach, as 2026-11-23T14:05:00Z",
        readMoment,
      ),
      "secret-key": text("FILE", "the file secret.key, for a backup that was made without secrets"),
    },
    example: "intake restore /var/backups/intake --data /var/lib/intake",
    notes: `${from} After a kill the same command goes on. A server does not start on the directory until every byte was read back and compared.`,
    async run({ options, words, io }) {
      requireFolder();
      const { restoreBackup } = await import("../backup/restore-backup.ts");
      const given = targetGiven(words[0], "FROM");
      requireApart(options.data, given);
      if (options.id !== undefined && options.at !== undefined)
        throw new UsageError("--id and --at exclude each other");
      const target = openTarget(given);
      const { manifest, at, segments, holds, keyMissing } = await restoreBackup({
        target,
        id: options.id,
        at: options.at,
        folder: options.data,
        secretKey: options["secret-key"],
        schema: migrations.at(-1)?.number ?? 0,
        lock: (folder) => new DataLock(folder, "restore"),
        out: outputOf(io),
      });
      io.progress("");
      const key = keyMissing
        ? "\nsecrets of subscribers are sealed with a key that the backup does not have: put secret.key into the directory before you start the server"
        : "";
      const missing = holds.attachmentsMissing === 0 ? "" : ` (${holds.attachmentsMissing} more have no file)`;
      const asOf = new Date(at).toISOString();
      const applied = segments === 0 ? "" : ` and ${segments} segments of the log`;
      io.result(
        { id: manifest.id, asOf, segments, ...holds, keyMissing },
        `restored the backup ${manifest.id}${applied}: everything as of ${asOf}, ${holds.tickets} tickets, ${holds.reports} reports and ${holds.attachments} attachments${missing}${key}`,
      );
      const { listMoments } = await import("../backup/find-moment.ts");
      const newest = (await listMoments(target)).moments[0]?.to;
      const chosen = options.id !== undefined || options.at !== undefined;
      if (!chosen && newest !== undefined && newest > asOf) {
        io.note(`the log goes on until ${newest}: with --at ${newest} another directory gets what was stored since`);
      }
    },
  }),
];

/** Rows in PostgreSQL and attachments in a bucket have tools of their own. */
function requireFolder() {
  if (!usesDatabase()) return;
  throw new CommandFailed(
    "INTAKE_DATABASE_URL is set: back up PostgreSQL with its own tools (pg_dump, or a base backup with an archived log), with versions switched on for the bucket, and keep secret.key; intake db move --back makes a copy in a data directory, which intake backup create takes",
  );
}

function targetGiven(given: string | undefined, name: string): string {
  const target = given ?? process.env[where];
  if (target) return target;
  throw new UsageError(`${name} is missing: a folder, or s3://BUCKET/PREFIX?region=REGION (${where})`);
}

function shownCreated(made: CreatedBackup, words: string): string {
  const counted = (count: number, some: readonly string[], what: string) =>
    count === 0 ? [] : [`${count} attachments ${what}: ${some.join(", ")}${count > some.length ? ", …" : ""}`];
  const { id, asOf, tickets, reports, attachments, bytes, addedBytes, secretKey } = made;
  return [
    `made the backup ${id} in ${words}`,
    `it holds everything as of ${asOf}: ${tickets} tickets, ${reports} reports, ${attachments} attachments, ${bytes} bytes${secretKey ? ", and secret.key" : ""}`,
    `${addedBytes} bytes were new to ${words}`,
    ...counted(made.attachmentsMissing, made.missing, "had no file already"),
    ...counted(
      made.attachmentsDiffering,
      made.differing,
      "have other bytes than their row says, and were copied as they are",
    ),
  ].join("\n");
}
