/** How a text matches a query, the best first. Among equal matches the shorter text comes first. */
const tiers = { exact: 6, prefix: 5, word: 4, initials: 3, inside: 2, letters: 1 };

/**
 * How well `text` matches `query`, or undefined when it does not: the whole text, its beginning, beginnings of its
 * words, their first letters, a part of it, or letters that each continue or begin a word ("gtb" for "Go to the
 * board").
 */
export function score(text: string, query: string): number | undefined {
  const [given, wanted] = [text.toLowerCase(), query.trim().toLowerCase().replace(/\s+/g, " ")];
  const tier = tierOf(given, wanted);
  return tier === undefined ? undefined : tier - Math.min(given.length, 500) / 1_000;
}

function tierOf(text: string, query: string): number | undefined {
  if (text === query) return tiers.exact;
  if (text.startsWith(query)) return tiers.prefix;
  const words = wordsOf(text);
  const begins = query.split(" ").every((part) => words.some((at) => text.startsWith(part, at)));
  if (begins) return tiers.word;
  const letters = query.replaceAll(" ", "");
  if (
    words
      .map((at) => text[at])
      .join("")
      .includes(letters)
  )
    return tiers.initials;
  if (text.includes(query)) return tiers.inside;
  return spells(text, letters, words) ? tiers.letters : undefined;
}

/** The positions at which words begin. */
function wordsOf(text: string): number[] {
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ index }) => index);
}

/** Letters that are scattered within words do not count: "cart" would find "Clear the filter". */
function spells(text: string, letters: string, words: readonly number[], from = 0): boolean {
  if (letters === "") return true;
  return words.some((at) => {
    if (at < from) return false;
    for (let length = 1; length <= letters.length && text[at + length - 1] === letters[length - 1]; length++) {
      if (spells(text, letters.slice(length), words, at + length)) return true;
    }
    return false;
  });
}

/** The best matches, at most `max`. */
export function best<Item>(
  items: readonly Item[],
  scoreOf: (item: Item) => number | undefined,
  max: number,
): { item: Item; score: number }[] {
  return items
    .map((item) => ({ item, score: scoreOf(item) }))
    .filter((found): found is { item: Item; score: number } => found.score !== undefined)
    .sort((a, b) => b.score - a.score)
    .slice(0, max);
}
