import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { commands } from "../../server/cli/commands.ts";
import { run } from "../support/binary.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

setDefaultTimeout(180_000);

const folder = temporaryFolder();
const pages = join(folder, "man");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A page as a terminal of 400 columns shows it, with the warnings of the formatter. */
function shown(page: string) {
  const command = ["groff", "-man", "-Tutf8", "-ww", "-P-cbou", "-rLL=400n", page];
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: pages });
  return { exitCode, text: stdout.toString(), warnings: stderr.toString() };
}

test("every command and every flag has its place on a page that the formatter takes without a warning", async () => {
  expect(await run(["man", "--to", pages])).toMatchObject({ code: 0, stderr: "" });
  const names = readdirSync(pages);
  const texts = new Map(
    names.map((name) => {
      const { text, ...rest } = shown(name);
      expect([name, rest]).toEqual([name, { exitCode: 0, warnings: "" }]);
      return [name, text.replace(/\s+/g, " ")];
    }),
  );
  expect(names).toContain("intake.1");
  for (const { name, summary, options, example } of commands) {
    const text = texts.get(`intake-${name.split(" ")[0]}.1`);
    for (const [flag, { placeholder, about }] of Object.entries(options)) {
      expect(text).toContain(`--${flag}${placeholder ? ` ${placeholder}` : ""} `);
      expect(text).toContain(about.replace(/\s+/g, " "));
    }
    expect(text).toContain(`${summary}.`.replace(/\s+/g, " "));
    expect(text).toContain(example.replace(/\s+/g, " "));
    expect(texts.get("intake.1")).toContain(`intake ${name}`);
  }
});

test("one page goes to stdout, the same as in the folder", async () => {
  expect((await run(["man", "ticket"])).stdout).toBe(readFileSync(join(pages, "intake-ticket.1"), "utf8"));
  expect((await run(["man"])).stdout).toBe(readFileSync(join(pages, "intake.1"), "utf8"));
});

test("a command that is not there has no page, and a folder gets all of them", async () => {
  expect(await run(["man", "nonsense"])).toMatchObject({ code: 2, stdout: "" });
  expect(await run(["man", "ticket", "--to", folder])).toMatchObject({ code: 2, stdout: "" });
  expect(await run(["man", "--to", join(pages, "intake.1")])).toMatchObject({ code: 1, stdout: "" });
});
