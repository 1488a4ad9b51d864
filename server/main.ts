import { DataFolderUnusable } from "./app/data-folder-unusable.ts";
import { FilesUnusable } from "./app/files-unusable.ts";
import { DataDirectoryLocked } from "./app/lock.ts";
import { MoveRefused } from "./app/move/move-refused.ts";
import { BackupRefused } from "./backup/backup-refused.ts";
import { type Command, parse } from "./cli/command.ts";
import { endAfterOutput } from "./cli/end-after-output.ts";
import { CommandFailed } from "./cli/failure.ts";
import { helpFor } from "./cli/help.ts";
import { Io, tolerateClosedOutput } from "./cli/io.ts";
import { UsageError } from "./cli/options.ts";
import { serveCommand } from "./cli/serve.ts";
import { isDiskFull } from "./cli/with-store.ts";
import { Refusal } from "./core/context.ts";
import { SecretKeyUnusable } from "./core/open-sealing.ts";
import { InvalidCursor } from "./core/page.ts";
import { CommitInDoubt, StoreUnavailable } from "./core/store.ts";
import { ExportRefused } from "./export/export-refused.ts";
import { PortInUse } from "./http/serve.ts";
import { MigrationRefused } from "./store/migrate.ts";
import { DatabaseUnusable } from "./store/postgres/database-unusable.ts";
import { asksReleaseForTimes } from "./store/statement-times.ts";
import { escapeInvisible } from "./text/escape-invisible.ts";

/** Arguments to one command. 0 done, 1 failed, 2 typed wrongly; nothing is changed unless it is 0. */
async function main(args: string[]): Promise<number> {
  try {
    return await dispatch(args);
  } catch (error) {
    process.stderr.write(`intake: ${escapeInvisible(messageOf(error).replaceAll("\n", " "))}\n`);
    if (error instanceof CommandFailed) return endAfterOutput(1);
    return error instanceof UsageError || error instanceof InvalidCursor ? 2 : 1;
  }
}

async function dispatch(given: string[]): Promise<number> {
  const args = given[0] === "--version" ? ["version", ...given.slice(1)] : given;
  const words = args.slice(0, args.findIndex((arg) => arg.startsWith("-")) >>> 0);
  const wantsHelp = args.includes("--help") || args.includes("-h");
  // A server does not need the other commands, which take a third of its time to start.
  const commands = args[0] === serveCommand.name && !wantsHelp ? [serveCommand] : await allCommands();
  if (args.length === 0 || words[0] === "help" || (words.length === 0 && /^(-h|--help)$/.test(args[0] ?? ""))) {
    process.stdout.write(`${helpFor(commands, words.slice(1))}\n`);
    return 0;
  }
  const command =
    commands.find(({ name }) => name === words.slice(0, 2).join(" ")) ?? commands.find(({ name }) => name === words[0]);
  if (!command) {
    const group = commands.some(({ name }) => name.startsWith(`${words[0]} `));
    if (!group) throw new UsageError("there is no such command; see intake --help");
    if (!wantsHelp) throw new UsageError(`say what to do with ${words[0]}; see intake ${words[0]} --help`);
    process.stdout.write(`${helpFor(commands, words.slice(0, 1))}\n`);
    return 0;
  }
  if (wantsHelp) {
    process.stdout.write(`${helpFor(commands, command.name.split(" "))}\n`);
    return 0;
  }
  if (asksReleaseForTimes(process.env)) {
    throw new UsageError("INTAKE_SQL_TIMES is for development: a release does not time its statements; unset it");
  }
  const { options, words: rest } = parse(command, args.slice(command.name.split(" ").length), process.env);
  const io = new Io(options["json"] === true);
  const code = await command.run({ options, words: rest, io, commands: allCommands });
  return typeof code === "number" ? code : 0;
}

async function allCommands(): Promise<readonly Command[]> {
  const { commands } = await import("./cli/commands.ts");
  return commands;
}

const plain = [
  UsageError,
  Refusal,
  BackupRefused,
  CommandFailed,
  ExportRefused,
  PortInUse,
  DataFolderUnusable,
  DataDirectoryLocked,
  DatabaseUnusable,
  FilesUnusable,
  MigrationRefused,
  MoveRefused,
  SecretKeyUnusable,
  InvalidCursor,
];

function messageOf(error: unknown): string {
  if (plain.some((kind) => error instanceof kind)) return (error as Error).message;
  if (isDiskFull(error)) return "the disk is full; make room and try again, nothing was changed";
  if (error instanceof CommitInDoubt) {
    return `${error.message}, and whether anything was changed is not known; look before you try again`;
  }
  if (error instanceof StoreUnavailable) return `storage cannot commit: ${error.message}; nothing was changed`;
  const { code, message } = error as { code?: string; message?: string };
  return `failed: ${[code, message ?? String(error)].filter(Boolean).join(" ")}`;
}

// Whatever is written is for its owner only.
process.umask(0o077);
tolerateClosedOutput();
process.exitCode = await main(process.argv.slice(2));
