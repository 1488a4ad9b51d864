import type { Command } from "../command.ts";
import type { OptionSpec } from "../options.ts";

/** The first words there are, each with the second words that may follow; an empty list for a command of one word. */
export function commandTree(commands: readonly Command[]): ReadonlyMap<string, readonly Command[]> {
  const tree = new Map<string, Command[]>();
  for (const command of commands) {
    const [first = "", second] = command.name.split(" ");
    const below = tree.get(first) ?? [];
    if (second !== undefined) below.push(command);
    tree.set(first, below);
  }
  return tree;
}

/** What is said of a first word: the summary of its command, or the names of what may follow. */
export function aboutFirstWord(first: string, commands: readonly Command[]): string {
  const one = commands.find(({ name }) => name === first);
  return one?.summary ?? (commandTree(commands).get(first) ?? []).map((command) => secondWord(command)).join(", ");
}

export function secondWord({ name }: Command): string {
  return name.split(" ")[1] ?? "";
}

/** What a shell may offer as the value of a flag. */
export function valuesOf({
  choices,
  placeholder,
}: OptionSpec<unknown>): readonly string[] | "files" | "folders" | undefined {
  return choices ?? (placeholder === "F" ? "files" : placeholder === "DIR" ? "folders" : undefined);
}

/** The closed values of each word after a command, undefined for a word that can be anything. */
export function wordValues({ words, wordChoices }: Command): (readonly string[] | undefined)[] {
  return words.map((word) => wordChoices?.[word]);
}

/**
 * Names and values as one list of words of a script. They are never quoted, so one that a shell would read in another
 * way is refused here, where the script is made.
 */
export function wordList(words: Iterable<string>): string {
  const list = [...words];
  const strange = list.find((word) => !/^[\w.:-]+$/.test(word));
  if (strange !== undefined) throw new Error(`${JSON.stringify(strange)} cannot stand in a script of completions`);
  return list.join(" ");
}
