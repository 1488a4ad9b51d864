/**
 * The terms by which reports are found. Made here alone, for what is indexed and for what is asked, so that the index
 * need not know of words: it takes them as they come, split at blanks.
 */

/** What can be filtered by, with the letter that its terms begin with. */
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

/** No word has it, so that no word finds a facet. */
const mark = "¤";
const filler = "·";
const termMax = 64;
const wordMax = 32;
/** Of one report. */
const wordsMax = 300;
const askedMax = 20;

/**
 * Of a value that a report has. Cut, and everything but letters and digits taken for one: whoever finds a report by it
 * has to look at the value itself, unless the value {@link hasOwnTerm}.
 */
export function facetTerm(facet: Facet, value: string): string {
  const plain = value.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, filler);
  return mark + facets[facet] + plain.slice(0, termMax);
}

export function tagTerm(name: string, value: string): string {
  return facetTerm("tag", `${name} ${value}`);
}

/** Whether no other values, or name and value of a tag, share the term of these, but for case. */
export function hasOwnTerm(...parts: string[]): boolean {
  return parts.every((part) => part.length < termMax / 4 && /^[\p{L}\p{N}]+$/u.test(part));
}

/** Words in the order of the text, each once; of `TypeError` also its parts. */
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

/** Words as they are asked for: each may be the beginning of one. */
export function askedWords(text: string): string[] {
  const runs = [...text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].map(([run]) => wordOf(run));
  return runs.filter((word) => word.length > 1).slice(0, askedMax);
}

function wordOf(run: string): string {
  return folded(run).slice(0, wordMax);
}

/** Without case and accents. */
function folded(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
