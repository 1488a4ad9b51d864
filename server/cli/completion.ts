import { type Command, command } from "./command.ts";
import { bashCompletion } from "./completion/bash.ts";
import { fishCompletion } from "./completion/fish.ts";
import { zshCompletion } from "./completion/zsh.ts";
import { UsageError } from "./options.ts";

const shells: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

export const completionCommand = command({
  name: "completion",
  words: ["SHELL"],
  wordChoices: { SHELL: Object.keys(shells) },
  summary: "print the script that completes commands, flags and their values in bash, zsh or fish",
  example: "intake completion bash",
  notes: [
    "The packages of a release install the script. Otherwise:",
    "  bash  in ~/.bashrc:   source <(intake completion bash)",
    "  zsh   in ~/.zshrc, after compinit:   source <(intake completion zsh)",
    "  fish  intake completion fish > ~/.config/fish/completions/intake.fish",
  ].join("\n"),
  async run({ words: [shell = ""], commands }) {
    const script = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
    if (!script) throw new UsageError(`SHELL must be one of ${Object.keys(shells).join(", ")}`);
    process.stdout.write(script(await commands()));
  },
});
