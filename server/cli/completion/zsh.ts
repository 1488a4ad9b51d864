import type { Command } from "../command.ts";
import type { OptionSpec } from "../options.ts";
import { aboutFirstWord, commandTree, secondWord, valuesOf, wordList, wordValues } from "./command-tree.ts";

/** The script for zsh: a file `_intake` in its fpath, or sourced after compinit. */
export function zshCompletion(commands: readonly Command[]): string {
  const tree = commandTree(commands);
  const firstWords = [...tree.keys()].map((first) => described(first, aboutFirstWord(first, commands)));
  return `#compdef intake
# zsh completion of intake, made by: intake completion zsh
_intake() {
  local -a found
  local first=2 used=1 command
  [[ $words[2] == help ]] && ((CURRENT > 2)) && first=3
  if ((CURRENT == first)); then
    found=(
${firstWords.map((line) => `      ${line}`).join("\n")}
      ${described("help", "show the help of a command")}
    )
    _describe -t commands command found
    return
  fi
  command=$words[first]
  case $command in
${[...tree].flatMap(([first, below]) => (below.length > 0 ? [secondWords(first, below)] : [])).join("\n")}
  esac
  ((first == 3)) && return

  # What comes after the command is completed as if the command were one word.
  shift $used words
  ((CURRENT -= used))
  case $command in
${commands.map(argumentsOf).join("\n")}
  esac
}

if [[ $funcstack[1] == _intake ]]; then
  _intake "$@"
else
  compdef _intake intake
fi
`;
}

function secondWords(first: string, below: readonly Command[]): string {
  return `    ${first})
      if ((CURRENT == first + 1)); then
        found=(
${below.map((command) => `          ${described(secondWord(command), command.summary)}`).join("\n")}
        )
        _describe -t commands command found
        return
      fi
      command+=" $words[first + 1]"
      used=2
      ;;`;
}

function argumentsOf(command: Command): string {
  const flags = Object.entries(command.options).map(([flag, spec]) => argument(flag, spec));
  const values = wordValues(command);
  const rest = command.words.map((word, n) => {
    const name = word.replace(/[[\]]/g, "");
    return quoted(`${n + 1}:${word.startsWith("[") ? ":" : ""}${name}:${listed(values[n])}`);
  });
  return `    ${quoted(command.name)})
      _arguments ${[...flags, ...rest, quoted("--help[show the help of this command]")].join(" \\\n        ")}
      ;;`;
}

function argument(flag: string, spec: OptionSpec<unknown>): string {
  const about = `[${spec.about.replace(/[[\]\\:]/g, "\\$&")}]`;
  if (spec.kind === "flag") return quoted(`--${wordList([flag])}${about}`);
  const values = valuesOf(spec);
  const offer = values === "files" ? "_files" : values === "folders" ? "_files -/" : listed(values);
  const name = (spec.choices ? flag : spec.placeholder).replace(/[:\\]/g, "\\$&");
  return quoted(`${spec.kind === "many" ? "*" : ""}--${wordList([flag])}=${about}:${name}:${offer}`);
}

function listed(values: readonly string[] | undefined): string {
  return values ? `(${wordList(values).replaceAll(":", "\\:")})` : " ";
}

function described(word: string, about: string): string {
  return quoted(`${wordList([word])}:${about.replace(/[\\:]/g, "\\$&")}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
