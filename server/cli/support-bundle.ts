import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { requireDatabase } from "../app/data-folder.ts";
import { usesDatabase } from "../app/place-variables.ts";
import { gatherBundle, leftOut } from "../app/support-bundle/gather.ts";
import { BundleNotWritten, writeBundle } from "../app/support-bundle/write-bundle.ts";
import { command } from "./command.ts";
import { endAfterOutput } from "./end-after-output.ts";
import { CommandFailed } from "./failure.ts";
import { checked, flag, text } from "./options.ts";
import { sqliteVersion } from "./version.ts";

export const supportBundleCommand = command({
  name: "support-bundle",
  summary: "gather what a maintainer needs to help, without secrets and contents, list it, and write it to one file",
  options: {
    to: checked("FILE", "the file to write, a .tar.gz (intake-support-TIME.tar.gz in this folder)", requireTarGz),
    log: text("FILE", "a log file of the server, whose last lines are taken, as from journalctl -u intake -o cat"),
    yes: flag("do not ask before the file is written; needed without a terminal"),
  },
  example: "intake support-bundle --to support.tar.gz --log intake.log",
  notes:
    "Nothing is sent anywhere. README.txt in the file says what was left out. Look into it before you pass it on: tar -xzOf FILE",
  async run({ options, io }) {
    const folder = resolve(options.data);
    if (!usesDatabase()) requireDatabase(folder);
    const path = resolve(options.to ?? `intake-support-${new Date().toISOString().replace(/[-:]|\..*/g, "")}.tar.gz`);
    if (existsSync(path)) throw new CommandFailed(`${path} is there already; choose another name with --to`);
    const texts = await gatherBundle({
      folder,
      log: options.log === undefined ? undefined : resolve(options.log),
      sqlite: sqliteVersion(),
    });
    const files = Object.entries(texts).map(([name, content]) => ({ name, bytes: Buffer.byteLength(content) }));
    io.note(`To be written to ${path}:`);
    for (const { name, bytes } of files) io.note(`  ${name}  ${bytes} bytes`);
    io.note("Left out:");
    for (const what of leftOut) io.note(`  ${what}`);
    if (!options.yes) {
      if (!io.interactive) throw new CommandFailed("nothing was written; say --yes to write it");
      if (!(await io.confirm("Write this file?"))) throw new CommandFailed("nothing was written");
    }
    try {
      const bytes = await writeBundle(path, texts);
      io.result({ file: path, bytes, files }, path);
    } catch (error) {
      throw error instanceof BundleNotWritten ? new CommandFailed(error.message) : error;
    }
    return endAfterOutput(0);
  },
});

function requireTarGz(path: string): string {
  if (!/\.(tar\.gz|tgz)$/.test(path)) throw new Error("must end with .tar.gz");
  return path;
}
