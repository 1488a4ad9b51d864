/**
 * How well `text` answers `query`, or undefined when a letter of it is missing. Letters in a row and at the beginning
 * of words count most.
 */
export function score(text: string, query: string): number | undefined {
  const [letters, wanted] = [[...text.toLowerCase()], [...query.toLowerCase().replaceAll(" ", "")]];
  let sum = 0;
  let at = 0;
  let before = -2;
  for (const letter of wanted) {
    const found = letters.indexOf(letter, at);
    if (found < 0) return undefined;
    const begins = found === 0 || /[\s/·:-]/.test(letters[found - 1] ?? "");
    sum += (found === before + 1 ? 3 : 0) + (begins ? 4 : 0) + 1;
    before = found;
    at = found + 1;
  }
  return sum - letters.length / 100;
}

/** The best first, at most so many. */
export function best<Item>(
  items: readonly Item[],
  query: string,
  textOf: (item: Item) => string,
  most: number,
): Item[] {
  return items
    .map((item) => ({ item, score: score(textOf(item), query) }))
    .filter((found): found is { item: Item; score: number } => found.score !== undefined)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ item }) => item);
}
