import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { manPages } from "./man-pages.ts";
import { text, UsageError } from "./options.ts";

export const manCommand = command({
  name: "man",
  words: ["[COMMAND]"],
  summary: "print the manual page of a command, or write all of them to a folder",
  options: { to: text("DIR", "folder to write every page to, as intake.1 and so on; it is made where it is missing") },
  example: "intake man ticket | man -l -",
  notes: "COMMAND is the first word of a command. Without it the page is intake(1), which names the others.",
  async run({ options: { to }, words: [word], io, commands }) {
    const pages = manPages(await commands());
    if (to === undefined) {
      const page = pages.get(word === undefined ? "intake.1" : `intake-${word}.1`);
      if (page === undefined) throw new UsageError("there is no page of such a command; see intake --help");
      process.stdout.write(page);
      return;
    }
    if (word !== undefined) throw new UsageError("give either COMMAND or --to: a folder gets every page");
    try {
      mkdirSync(to, { recursive: true });
      for (const [name, page] of pages) writeFileSync(join(to, name), page);
    } catch (error) {
      throw new CommandFailed(`cannot write the pages: ${(error as Error).message}`);
    }
    io.result({ folder: to, pages: [...pages.keys()] });
  },
});
