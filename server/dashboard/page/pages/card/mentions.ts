export interface Name {
  id: string;
  name: string;
}

const shownMax = 6;

/** The members that the `@…` before the caret may mean; undefined when no mention is being typed. */
export function mentionAt<Person extends Name>(
  text: string,
  caret: number,
  people: readonly Person[],
): { from: number; found: Person[] } | undefined {
  const typed = /(?:^|\s)@([^\s@]*)$/u.exec(text.slice(0, caret));
  if (!typed) return undefined;
  const begun = (typed[1] ?? "").toLowerCase();
  const found = people
    .filter(({ name }) =>
      name
        .toLowerCase()
        .split(/\s+/)
        .some((word) => word.startsWith(begun)),
    )
    .slice(0, shownMax);
  return found.length === 0 ? undefined : { from: caret - begun.length - 1, found };
}

/** The members that a text mentions. Longer names are tried first, so that "@Ann Lee" does not mention "@Ann". */
export function mentionsIn<Person extends Name>(text: string, people: readonly Person[]): Person[] {
  let rest = text;
  return people
    .toSorted((a, b) => b.name.length - a.name.length)
    .filter(({ name }) => {
      const named = name !== "" && rest.includes(`@${name}`);
      if (named) rest = rest.replaceAll(`@${name}`, " ");
      return named;
    });
}
