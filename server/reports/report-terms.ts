/**
 * The terms by which reports are found. The index and the queries both make their terms here, so that the two always
 * agree; the index itself only splits text at blanks.
 */

/** The filters that the index knows, each with the letter that marks its terms. */
const facets = {
  project: "p",
  level: "l",
  type: "t",
  env: "e",
  release: "r",
  "user.id": "u",
  "user.email": "m",
  key: "k",
  has: "h",
  tag: "g",
} as const;
type Facet = keyof typeof facets;

/** Begins the terms of filters. No word contains this character, so a word never matches the term of a filter. */
const mark = "¤";
const filler = "·";
const termMax = 64;
const wordMax = 32;
/** Words that are indexed of one report. */
const wordsMax = 300;
const queryWordsMax = 20;

/**
 * The term of a filter's value. The value is cut, and every character but letters and digits becomes the same one. So
 * different values may share a term, unless {@link hasOwnTerm} says otherwise, and whoever finds a report by the term
 * has to compare the value itself.
 */
export function facetTerm(facet: Facet, value: string): string {
  const plain = value.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, filler);
  return mark + facets[facet] + plain.slice(0, termMax);
}

export function tagTerm(name: string, value: string): string {
  return facetTerm("tag", `${name} ${value}`);
}

/**
 * Whether a value, or the name and value of a tag, has a term that no other value shares, apart from upper and lower
 * case.
 */
export function hasOwnTerm(...parts: string[]): boolean {
  return parts.every((part) => part.length < termMax / 4 && /^[\p{L}\p{N}]+$/u.test(part));
}

/** Splits a text into its words, each once and in their order; `TypeError` also gives `type` and `error`. */
export function wordsOf(text: string): string[] {
  const words = new Set<string>();
  for (const [run] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (words.size >= wordsMax) break;
    words.add(wordOf(run));
    const parts = run.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
    if (parts.length > 1) for (const part of parts) words.add(wordOf(part));
  }
  words.delete("");
  return [...words];
}

/** Splits the text of a query into words. Each may be the beginning of a word in a report. */
export function queryWords(text: string): string[] {
  const runs = [...text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].map(([run]) => wordOf(run));
  return runs.filter((word) => word.length > 1).slice(0, queryWordsMax);
}

function wordOf(run: string): string {
  return folded(run).slice(0, wordMax);
}

/** The text in lower case, without accents and without the ASCII punctuation and blanks at which the index splits. */
function folded(text: string): string {
  // Nearly all words, which the rest would leave as they are.
  if (/^[a-z0-9]*$/i.test(text)) return text.toLowerCase();
  // Unicode writes some digits and letters out with them: ⑴ is "(1)".
  const plain = text.normalize("NFKD").replaceAll(/\p{M}|[^\p{L}\p{N}\u0080-\u{10ffff}]/gu, "");
  return plain.toLowerCase();
}
