import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commands } from "../../server/cli/commands.ts";
import { settings } from "../../server/core/settings.ts";
import { run } from "../support/binary.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type AskShell, askBash, askFish, askZsh } from "./ask-shell.ts";

setDefaultTimeout(180_000);

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "secret.txt"), "");
mkdirSync(join(folder, "secrets"));

const firstWords = [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? ""))];
const choices = commands.flatMap(({ name, options }) =>
  Object.entries(options).flatMap(([flag, { choices }]) => (choices ? [{ name, flag, choices }] : [])),
);

describe.each<[string, AskShell]>([
  ["bash", askBash],
  ["zsh", askZsh],
  ["fish", askFish],
])("%s", (_shell, ask) => {
  const expectOffers = async (offers: readonly (readonly [line: string, offered: readonly string[]])[]) => {
    const answers = await ask(
      folder,
      offers.map(([line]) => line),
    );
    const found = offers.map(([line], i) => [line, (answers[i] ?? []).map((word) => word.replace(/\/$/, "")).sort()]);
    expect(found).toEqual(offers.map(([line, offered]) => [line, [...offered].sort()]));
  };

  test("completes every command, every flag and every closed value of a flag", async () => {
    expect(choices.length).toBeGreaterThan(8);
    await expectOffers([
      ["intake ", [...firstWords, "help"]],
      ...commands.map(
        ({ name, options }) =>
          [`intake ${name} --`, ["help", ...Object.keys(options)].map((flag) => `--${flag}`)] as const,
      ),
      ...choices.map(({ name, flag, choices }) => [`intake ${name} --${flag} `, choices] as const),
    ]);
  });

  test("completes what has been begun", async () => {
    const subcommands = commands.filter(({ name }) => name.startsWith("event ")).map(({ name }) => name.slice(6));
    await expectOffers([
      ["intake ev", ["event"]],
      ["intake event e", ["envelope"]],
      ["intake event list --le", ["--level"]],
      ["intake event list --level fa", ["fatal"]],
      ["intake event list --level=fa", ["--level=fatal"]],
      ["intake event list --limit 5 --level w", ["warning"]],
      ["intake token create --scope tickets:w", ["tickets:write"]],
      ["intake help ev", ["event"]],
      ["intake help event a", subcommands.filter((name) => name.startsWith("a"))],
      ["intake nonsense --le", []],
    ]);
  });

  test("completes the words after a command that have closed values, wherever the flags are", async () => {
    await expectOffers([
      ["intake completion ", ["bash", "fish", "zsh"]],
      ["intake member role ID m", ["member"]],
      ["intake member role --json ID m", ["member"]],
      ["intake settings set public", Object.keys(settings).filter((name) => name.startsWith("public"))],
    ]);
  });

  test("completes files where a flag takes a file, folders where it takes a folder, and nothing for other values", async () => {
    await expectOffers([
      ["intake serve --webhook-ca secret.", ["secret.txt"]],
      ["intake serve --data secr", ["secrets"]],
      ["intake ticket create --title secr", []],
    ]);
  });
});

test("a shell that is not known is a usage error", async () => {
  expect(await run(["completion", "tcsh"])).toEqual({
    code: 2,
    stdout: "",
    stderr: "intake: SHELL must be one of bash, zsh, fish\n",
  });
});
