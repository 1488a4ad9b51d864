import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { messageFaults } from "../support/documented.ts";
import { type Block, blocksOf } from "./blocks.ts";
import { answersIn, isAsShown } from "./printed.ts";
import { ShellSession } from "./shell-session.ts";

/**
 * Runs every block of README, CONTRIBUTING, docs/ and the READMEs of the SDK and of deploying as a reader would: one shell for each page, block after block.
 * Comments right before a block say what is special about it:
 *
 *     <!-- example: REASON -->         is not run
 *     <!-- run by test/…test.ts -->    another test runs it
 *     <!-- compiled by test/… -->      another test compiles it
 *     <!-- stays up -->                the command listens until Ctrl-C; the next block runs beside it
 *     <!-- after Ctrl-C -->            the server of the page is stopped before
 *     <!-- output -->                  what the block before printed; … stands for anything
 *     <!-- message: TYPE -->           a message to subscribers, by its schema
 *
 * A block under a line such as `agent.sh`: is that file. A line such as TOKEN=itk_… gets the value that was printed.
 */
setDefaultTimeout(600_000);
const root = join(import.meta.dir, "../..");

/** A test of its own runs every block of these pages. */
const elsewhere: Record<string, string> = {
  "docs/run-your-own-agent.md": "test/agents/run-your-own-agent.test.ts",
};
const pages = [
  ...["README.md", "CONTRIBUTING.md", "client/README.md", "server/deploy/README.md"],
  ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
]
  .filter((page) => page.endsWith(".md") && !(page in elsewhere))
  .map((page) => ({ page, blocks: blocksOf(readFileSync(join(root, page), "utf8")) }));
const readme = pages[0]?.blocks ?? [];

/** Where a value was printed that a page has the reader copy; the last one counts. */
const copied: Record<string, RegExp> = {
  TOKEN: /\bitk_\w+/g,
  KEY: /\bisk_\w+/g,
  PROJECT: /(?<=^project:\n {2}id: )\S+/gm,
  EVENT: /(?<=eventId"?: ?["'])[\w-]+/g,
  RUN: /(?<="run":\{"id":")[\w-]+/g,
  LEASE: /\blease_\w+/g,
  SUBSCRIBER: /(?<=^id: )\S+/gm,
  INTAKE_WEBHOOK_SECRET: /\bwhsec_\S+/g,
};

test("every block runs or is marked", () => {
  const unmarked = pages.flatMap(({ page, blocks }) =>
    blocks.filter((block) => kindOf(block) === undefined).map(({ line }) => `${page}:${line}`),
  );
  expect(unmarked).toEqual([]);
});

test("every example has its reason", () => {
  const examples = pages.flatMap(({ page, blocks }) =>
    blocks.flatMap(({ line, notes }) => (notes.has("example") ? [[`${page}:${line}`, notes.get("example")]] : [])),
  );
  for (const [where, reason] of examples) console.info(`not run: ${where}, ${reason}`);
  expect(examples.filter(([, reason]) => !reason)).toEqual([]);
});

test("the tests that run blocks of the pages are there", () => {
  const named = pages.flatMap(({ blocks }) =>
    blocks.flatMap(({ notes }) => notes.get("run by") ?? notes.get("compiled by") ?? []),
  );
  const missing = [...named, ...Object.values(elsewhere)].filter((path) => !existsSync(join(root, path)));
  expect(missing).toEqual([]);
});

describe("the blocks of a page, in their order", () => {
  const running = pages.filter(({ blocks }) => blocks.some((block) => kindOf(block) === "run"));
  test.concurrent.each(running)("$page", async ({ page, blocks }) => {
    const session = new ShellSession();
    try {
      if (page !== "README.md") for (const block of quickStart()) await follow(session, block);
      let printed = "";
      for (const block of blocks) {
        try {
          printed = (await follow(session, block, printed)) ?? printed;
        } catch (error) {
          throw new Error(`${page}:${block.line}: ${(error as Error).message}`);
        }
      }
    } finally {
      await session.close();
    }
  });
});

type Kind = "example" | "elsewhere" | "message" | "output" | "file" | "run";

function kindOf({ notes, file, language }: Block): Kind | undefined {
  if (notes.has("example")) return "example";
  if (notes.has("run by") || notes.has("compiled by")) return "elsewhere";
  if (notes.has("message")) return "message";
  if (notes.has("output")) return "output";
  if (file !== undefined) return "file";
  return language === "sh" ? "run" : undefined;
}

/** The blocks of README with which every other page begins: until its variables are set. */
function quickStart(): Block[] {
  const end = readme.findIndex(({ text }) => text.includes("export PROJECT="));
  return readme.slice(0, end + 1).filter((block) => kindOf(block) === "run");
}

/** Does what a reader does with a block; returns what it has printed, if it was run. */
async function follow(session: ShellSession, block: Block, before = ""): Promise<string | undefined> {
  const { notes, file, language, text } = block;
  switch (kindOf(block)) {
    case "file":
      session.save(file ?? "", text);
      return;
    case "output":
      if (!isAsShown(before, text, language)) throw new Error(`the page shows\n${text}\nprinted was\n${before}`);
      return;
    case "message":
      expect(messageFaults(notes.get("message") ?? "", JSON.parse(text))).toEqual([]);
      return;
    case "run":
      return run(session, block);
  }
}

async function run(session: ShellSession, { notes, text }: Block): Promise<string> {
  if (notes.has("after Ctrl-C")) await session.stopServer();
  if (notes.has("stays up")) {
    await session.start(text);
    return "";
  }
  const printed = await session.run(withCopied(text, session.printed));
  const answers = answersIn(text);
  if (answers.length > 0 && !isAsShown(printed, answers.join("\n"), "text")) {
    throw new Error(`the page shows\n${answers.join("\n")}\nprinted was\n${printed}`);
  }
  return printed;
}

/** Puts what was printed where the page has the reader copy it. */
function withCopied(block: string, printed: string): string {
  return block.replaceAll(/^((?:export )?(\w+)=)\w*…/gm, (_, start: string, name: string) => {
    const value = printed.match(copied[name] ?? /$^/)?.at(-1);
    if (value === undefined) throw new Error(`nothing was printed that could be ${name}`);
    return start + value;
  });
}
