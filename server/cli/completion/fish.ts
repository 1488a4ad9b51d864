import type { Command } from "../command.ts";
import { aboutFirstWord, commandTree, secondWord, valuesOf, wordList, wordValues } from "./command-tree.ts";

/** The script for fish. */
export function fishCompletion(commands: readonly Command[]): string {
  const tree = commandTree(commands);
  const firsts = [...tree.keys()].map((first) =>
    complete("__intake_at 1", `-a ${first}`, aboutFirstWord(first, commands)),
  );
  const seconds = [...tree].flatMap(([first, below]) =>
    below.map((command) => complete(`__intake_at 2 ${first}`, `-a ${secondWord(command)}`, command.summary)),
  );
  return `# fish completion of intake, made by: intake completion fish

# Whether the word with this number is to be completed, and the words before it are these.
function __intake_at
    set -l words (commandline -opc)
    test "$words[2]" = help; and set -e words[2]
    test (count $words) -eq $argv[1]; and test "$words[2..-1]" = "$argv[2..-1]"
end

# Whether the line is of this command.
function __intake_in
    set -l words (commandline -opc)
    set -l given $words[2..(math (count $argv) + 1)]
    test "$given" = "$argv"
end

# Whether the line is of the command and has so many words after it, flags and their values left out.
function __intake_word
    set -l words (commandline -opc)
    set -l given $words[2..(count $argv)]
    test "$given" = "$argv[2..-1]"; or return 1
    set -l n 0
    for word in $words[(math (count $argv) + 1)..-1]
        string match -q -- '-*' $word; or set n (math $n + 1)
    end
    test $n -eq $argv[1]
end

complete -c intake -f
${[...firsts, complete("__intake_at 1", "-a help", "show the help of a command"), ...seconds, ...commands.flatMap(ofCommand)].join("\n")}
`;
}

function ofCommand(command: Command): string[] {
  const isHere = `__intake_in ${command.name}`;
  const flags = Object.entries(command.options).map(([flag, spec]) => {
    if (spec.kind === "flag") return complete(isHere, `-l ${wordList([flag])}`, spec.about);
    const values = valuesOf(spec);
    const offer =
      values === "files"
        ? "-rF"
        : values === "folders"
          ? "-xa '(__fish_complete_directories)'"
          : values
            ? `-xa '${wordList(values)}'`
            : "-x";
    return complete(isHere, `-l ${wordList([flag])} ${offer}`, spec.about);
  });
  const words = wordValues(command).flatMap((values, n) =>
    values ? [complete(`__intake_word ${n} ${command.name}`, `-a '${wordList(values)}'`)] : [],
  );
  return [...flags, complete(isHere, "-l help", "show the help of this command"), ...words];
}

function complete(condition: string, what: string, about?: string): string {
  const description = about === undefined ? "" : ` -d '${about.replace(/[\\']/g, "\\$&")}'`;
  return `complete -c intake -n '${condition}' ${what}${description}`;
}
