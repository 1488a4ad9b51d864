import type { Command } from "./command.ts";
import type { OptionSpec } from "./options.ts";

const head = "Intake takes in tickets from CI jobs and reports from apps, and stores each exactly once.";

/** Help for everything, for a group such as `token`, or for one command. */
export function helpFor(commands: readonly Command[], words: readonly string[]): string {
  const wanted = words.join(" ");
  const one = commands.find(({ name }) => name === wanted);
  if (one) return commandHelp(one);
  const group = words.length === 0 ? commands : commands.filter(({ name }) => name.startsWith(`${words[0]} `));
  const width = Math.max(...group.map((command) => usage(command).length));
  const list = group.map((command) => `  ${usage(command).padEnd(width)}  ${command.summary}`);
  const tail = "Every command: --help, --data DIR (default ./data, INTAKE_DATA), --json.";
  return [...(words.length === 0 ? [head, ""] : []), "Commands:", ...list, "", tail].join("\n");
}

export function usage({ name, words }: Pick<Command, "name" | "words">): string {
  return [name, ...words].join(" ");
}

function commandHelp(command: Command): string {
  const flags = Object.entries(command.options).map(([name, spec]) => ({
    flag: `--${name}${spec.placeholder ? ` ${spec.placeholder}` : ""}`,
    about: aboutOf(spec),
  }));
  const width = Math.max(...flags.map(({ flag }) => flag.length));
  return [
    `intake ${usage(command)}: ${command.summary}`,
    "",
    "Flags:",
    ...flags.map(({ flag, about }) => `  ${flag.padEnd(width)}  ${about}`),
    ...(command.notes ? ["", command.notes] : []),
    "",
    "Example:",
    `  ${command.example}`,
  ].join("\n");
}

/** What a flag does, and in brackets whether it is required, its default and its variable. */
export function aboutOf({ about, required, absent, env, kind }: OptionSpec<unknown>): string {
  const more = [
    ...(required ? ["required"] : []),
    ...(kind === "value" && absent !== undefined ? [`default ${absent}`] : []),
    ...(env ? [`${env} or ${env}_FILE`] : []),
  ];
  return more.length > 0 ? `${about} (${more.join("; ")})` : about;
}
