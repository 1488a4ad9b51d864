import { join } from "node:path";
import { commands } from "../../server/cli/commands.ts";
import { bashCompletion } from "../../server/cli/completion/bash.ts";
import { fishCompletion } from "../../server/cli/completion/fish.ts";
import { zshCompletion } from "../../server/cli/completion/zsh.ts";

/** What a real shell offers for the last word of each line, after it has loaded the script of completions. */
export type AskShell = (folder: string, lines: readonly string[]) => Promise<string[][]>;

const prompt = "ask> ";

/** Bash puts everything that is offered into the line by one key. */
export const askBash: AskShell = (folder, lines) =>
  askTerminal(["bash", "--norc", "--noprofile", "-i"], bashCompletion(commands), "\x1b*", folder, lines);

/** Zsh is given a key that does the same. */
export const askZsh: AskShell = (folder, lines) => {
  const key = [
    "every() { _main_complete; compstate[insert]=all; compstate[list]=; }",
    "zle -C every complete-word every",
    "bindkey '^X' every",
  ];
  const script = ["autoload -Uz compinit", "compinit -D -u", zshCompletion(commands), ...key].join("\n");
  return askTerminal(["zsh", "-f", "-i"], script, "\x18", folder, lines);
};

/** Fish tells what it offers, with a description behind a tab. */
export const askFish: AskShell = async (folder, lines) => {
  const file = join(folder, "intake.fish");
  await Bun.write(file, fishCompletion(commands));
  const loop = `source ${file}; while read -l line; complete -C "$line"; echo =end; end`;
  const fish = Bun.spawn(["fish", "--no-config", "--private", "-c", loop], {
    cwd: folder,
    env: environment(folder),
    stdin: new Blob([lines.map((line) => `${line}\n`).join("")]),
    stderr: "inherit",
  });
  const answers = (await fish.stdout.text()).split("=end\n").slice(0, -1);
  return answers.map((answer) =>
    answer
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split("\t")[0] ?? ""),
  );
};

/** Types each line at a terminal, with the key that inserts all, to a function that prints its words. */
async function askTerminal(
  command: string[],
  script: string,
  insertAll: string,
  folder: string,
  lines: readonly string[],
): Promise<string[][]> {
  let written = "";
  let changed = () => {};
  const shell = Bun.spawn(command, {
    cwd: folder,
    env: { ...environment(folder), PS1: prompt, TERM: "dumb" },
    terminal: {
      cols: 3_000,
      data(_terminal, bytes) {
        written += new TextDecoder().decode(bytes).replaceAll("\r", "");
        changed();
      },
    },
  });
  const type = async (keys: string, done: RegExp): Promise<string> => {
    written = "";
    shell.terminal?.write(keys);
    for (;;) {
      const found = done.exec(written);
      if (found) return found[1] ?? "";
      await new Promise<void>((resolve) => {
        changed = resolve;
      });
    }
  };
  try {
    await type("", /ask> /);
    const file = join(folder, `intake.${command[0]}`);
    await Bun.write(file, `${script}\nintake() { printf '%s\\n' begin: "$@" :end; }\n`);
    await type(`source ${file}; echo load''ed\r`, /loaded\n.*ask> /s);
    const answers: string[][] = [];
    for (const line of lines) {
      const words = (await type(`${line}${insertAll}\r`, /begin:\n(.*):end\n.*ask> /s)).split("\n").slice(0, -1);
      // The words before the one that was completed are those of the line; that word itself stays when nothing is offered.
      const typed = line.split(" ").slice(1);
      const offered = words.slice(typed.length - 1);
      answers.push(offered.join() === typed.at(-1) ? [] : offered);
    }
    return answers;
  } finally {
    shell.kill("SIGKILL");
    await shell.exited;
  }
}

function environment(folder: string): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: folder, LC_ALL: "C.UTF-8" };
}
