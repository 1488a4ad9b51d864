import type { Command } from "../command.ts";
import { commandTree, secondWord, valuesOf, wordList, wordValues } from "./command-tree.ts";

/**
 * The script for bash. It needs bash alone, not the package bash-completion, and never runs the binary, so that
 * completing is as fast as the shell.
 */
export function bashCompletion(commands: readonly Command[]): string {
  const tree = commandTree(commands);
  const groups = [...tree].filter(([, below]) => below.length > 0);
  return `# bash completion of intake, made by: intake completion bash
_intake() {
  COMPREPLY=()
  local -a words=()
  local i word joins='' cur prev first=1 command flags=''
  # bash breaks words at = and at a colon; here --level=fatal and tickets:write are one word each.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $joins || $word == [=:]* ]] && ((\${#words[@]})); then
      words[\${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    joins=''
    [[ $word == *[=:] ]] && joins=yes
  done
  local at=$((\${#words[@]} - 1))
  cur=\${words[at]} prev=\${words[at - 1]}
  if [[ $cur == --*=* ]]; then
    prev=\${cur%%=*}
    cur=\${cur#*=}
  fi

  [[ \${words[1]} == help ]] && ((at > 1)) && first=2
  if ((at == first)); then
    _intake_offer '${wordList([...tree.keys(), "help"])}'
    return
  fi
  command=\${words[first]}
  case $command in
${groups.map(([name, below]) => `    ${name})\n      if ((at == first + 1)); then\n        _intake_offer '${wordList(below.map(secondWord))} --help'\n        return\n      fi\n      command+=" \${words[first + 1]}"\n      ((first++))\n      ;;`).join("\n")}
  esac
  [[ \${words[1]} == help ]] && return

  # The value of a flag.
  case "$command $prev" in
${valueCases(commands)}
  esac

  # A word after the command: those before it are counted without flags and their values.
  if [[ $cur != -* ]]; then
    local n=0 last=''
    for ((i = first + 1; i < at; i++)); do
      word=\${words[i]}
      if [[ $word == -* ]]; then
        last=''
        [[ $word != *=* ]] && _intake_takes_value "$command $word" && last=$word
      elif [[ -n $last ]]; then
        last=''
      else
        ((n++))
      fi
    done
    case "$command $n" in
${wordCases(commands)}
    esac
    [[ -n $cur ]] && return
  fi

  case $command in
${commands.map(({ name, options }) => `    '${name}') flags='${wordList(Object.keys(options).map((flag) => `--${flag}`))} --help' ;;`).join("\n")}
  esac
  _intake_offer "$flags"
}

# Offers those of the words that begin as the word on the line does.
_intake_offer() {
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
  # bash replaces what comes after the last colon only.
  [[ $COMP_WORDBREAKS == *:* && $cur == *:* ]] && COMPREPLY=("\${COMPREPLY[@]#"\${cur%"\${cur##*:}"}"}")
}

_intake_takes_value() {
  case "$1" in
${takesNone(commands)}
  esac
  return 0
}

complete -F _intake intake
`;
}

function valueCases(commands: readonly Command[]): string {
  return commands
    .flatMap(({ name, options }) =>
      Object.entries(options).flatMap(([flag, spec]) => {
        if (spec.kind === "flag") return [];
        const values = valuesOf(spec);
        const offer =
          values === "files"
            ? `compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); `
            : values === "folders"
              ? `compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); `
              : values
                ? `_intake_offer '${wordList(values)}'; `
                : "";
        return [`    '${name} --${flag}') ${offer}return ;;`];
      }),
    )
    .join("\n");
}

function wordCases(commands: readonly Command[]): string {
  return commands
    .flatMap((command) =>
      wordValues(command).flatMap((values, n) =>
        values ? [`      '${command.name} ${n}') _intake_offer '${wordList(values)}'; return ;;`] : [],
      ),
    )
    .join("\n");
}

function takesNone(commands: readonly Command[]): string {
  return commands
    .flatMap(({ name, options }) =>
      Object.entries(options).flatMap(([flag, { kind }]) => (kind === "flag" ? [`'${name} --${flag}'`] : [])),
    )
    .map((pattern) => `    ${pattern}) return 1 ;;`)
    .join("\n");
}
