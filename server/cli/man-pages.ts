import { version } from "../../package.json";
import type { Command } from "./command.ts";
import { aboutOf, usage } from "./help.ts";

/** Every manual page by its file name: `intake.1`, and one for each first word, `intake-ticket.1`. */
export function manPages(commands: readonly Command[]): ReadonlyMap<string, string> {
  const groups = Map.groupBy(commands, ({ name }) => name.split(" ")[0] ?? "");
  return new Map([
    ["intake.1", mainPage(commands, [...groups.keys()])],
    ...[...groups].map(([first, group]) => [`intake-${first}.1`, groupPage(first, group)] as const),
  ]);
}

function mainPage(commands: readonly Command[], firsts: readonly string[]): string {
  return page("intake", "takes in tickets from CI jobs and reports from apps", [
    section("SYNOPSIS", [
      "\\fBintake\\fR \\fICOMMAND\\fR [\\fIWORD\\fR \\&...] [\\fB\\-\\-FLAG\\fR \\fIVALUE\\fR] \\&...",
    ]),
    section("DESCRIPTION", [
      "Intake takes in tickets from CI jobs and reports from apps, and stores each exactly once. \\fBintake serve\\fR is the server; the other commands work on its data directory, beside it or without it, as the same user.",
    ]),
    section(
      "COMMANDS",
      commands.map((command) => entry(`\\fBintake ${escaped(usage(command))}\\fR`, command.summary)),
    ),
    section("EXIT STATUS", [
      entry("0", "The command succeeded."),
      entry("1", "The command failed."),
      entry("2", "The command was typed wrongly or a setting is wrong; nothing was done."),
      entry("70", "Of intake serve: storage can no longer be trusted."),
    ]),
    section("ENVIRONMENT", [
      "A flag goes before its variable. A variable with \\fB_FILE\\fR at its end names a file that has the value.",
      ...variables(commands).map(([name, flag]) => entry(`\\fB${escaped(name)}\\fR`, flag)),
    ]),
    section("SEE ALSO", [firsts.map((first) => `\\fBintake\\-${escaped(first)}\\fR(1)`).join(", ")]),
  ]);
}

function groupPage(first: string, group: readonly Command[]): string {
  const about =
    group.length === 1 && group[0]?.name === first
      ? group[0].summary
      : `commands: ${group.map(({ name }) => name.split(" ").slice(1).join(" ")).join(", ")}`;
  return page(`intake-${first}`, about, [
    section(
      "SYNOPSIS",
      group.flatMap((command, i) => [
        ...(i === 0 ? [] : [".br"]),
        `\\fBintake ${escaped(usage(command))}\\fR [\\fB\\-\\-FLAG\\fR \\fIVALUE\\fR] \\&...`,
      ]),
    ),
    ...group.map((command) =>
      section(`intake ${usage(command)}`.toUpperCase(), [
        escaped(`${command.summary}.`),
        ".SS Flags",
        ...Object.entries(command.options).map(([name, spec]) =>
          entry(
            `\\fB${escaped(`--${name}`)}\\fR${spec.placeholder ? ` \\fI${escaped(spec.placeholder)}\\fR` : ""}`,
            aboutOf(spec),
          ),
        ),
        ...(command.notes ? [".SS Notes", preformatted(command.notes)] : []),
        ".SS Example",
        preformatted(command.example),
      ]),
    ),
    section("SEE ALSO", ["\\fBintake\\fR(1)"]),
  ]);
}

/** Every variable of the environment that a flag reads, with the flags. */
function variables(commands: readonly Command[]): [name: string, flags: string][] {
  const found = new Map<string, Set<string>>();
  for (const { options } of commands) {
    for (const [flag, { env, about }] of Object.entries(options)) {
      if (env) found.set(env, (found.get(env) ?? new Set()).add(`--${flag}: ${about}`));
    }
  }
  return [...found].map(([name, flags]) => [name, [...flags].join("; ")]);
}

/** No date: the same sources give the same page, and the version says how old it is. */
function page(name: string, about: string, sections: readonly string[]): string {
  return [
    `.TH "${escaped(name.toUpperCase())}" 1 "" "Intake ${escaped(version)}" "Intake"`,
    // Left-justified and without hyphenation: a broken name of a flag could not be copied.
    ".nh",
    ".ad l",
    section("NAME", [`${escaped(name)} \\- ${escaped(about)}`]),
    ...sections,
    "",
  ].join("\n");
}

function section(title: string, paragraphs: readonly string[]): string {
  return [`.SH "${escaped(title)}"`, ...paragraphs].join("\n");
}

function entry(term: string, about: string): string {
  return `.TP\n${term}\n${escaped(about)}`;
}

function preformatted(text: string): string {
  return `.nf\n${escaped(text)}\n.fi`;
}

/** Text that roff prints as it is: no escapes, no requests at the start of a line, no typographic quotes or dashes. */
function escaped(text: string): string {
  return (
    text
      .replaceAll("\\", "\\e")
      .replaceAll("-", "\\-")
      .replaceAll("`", "\\(ga")
      .replaceAll("'", "\\(aq")
      .replaceAll('"', "\\(dq")
      .replaceAll("^", "\\(ha")
      .replaceAll("~", "\\(ti")
      // A list of values may be broken after each of them.
      .replaceAll("|", "|\\:")
      .replace(
        /[^\x20-\x7e\n]/g,
        (character) => `\\[u${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
      )
      .replace(/^(?=\.)/gm, "\\&")
  );
}
