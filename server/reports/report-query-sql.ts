import type { Reader } from "../core/store.ts";
import type { Term } from "./parse-report-query.ts";
import { askedWords, facetTerm, hasOwnTerm, tagTerm } from "./report-terms.ts";
import { isIndexOnly } from "./row-matches-query.ts";

export interface Expression {
  /** What the index is asked: for every report that is asked for, and perhaps for some more. */
  match: string;
  /** Texts of which the index knows too little: the report itself has to be looked at. */
  unsure: Extract<Term, { kind: "text" }>[];
}

/** Undefined when the index would be asked for all reports. */
export async function expressionOf(
  store: Reader,
  projectId: string,
  terms: readonly Term[],
): Promise<Expression | undefined> {
  const wanted: string[] = [];
  const unwanted: string[] = [];
  const unsure: Expression["unsure"] = [];
  for (const term of terms) {
    const asked = term.kind === "text" ? await textExpression(store, term.text) : filterExpression(term);
    if (asked === undefined) continue;
    if (term.kind === "text" && !asked.sure) unsure.push(term);
    // What might be more than what is not wanted must not be left out.
    if (!term.not) wanted.push(asked.match);
    else if (asked.sure) unwanted.push(asked.match);
  }
  if (wanted.length === 0 && unwanted.length === 0 && unsure.length === 0) return undefined;
  const all = [quoted(facetTerm("project", projectId)), ...wanted].join(" AND ");
  return { match: unwanted.length === 0 ? all : `(${all}) NOT (${unwanted.join(" OR ")})`, unsure };
}

/** `sure` when it is asked for these reports and for no others. */
interface Part {
  match: string;
  sure: boolean;
}

/** Reports with words that begin with those of a text; undefined when it has none. */
export async function textExpression(store: Reader, text: string): Promise<Part | undefined> {
  const words = await Promise.all(askedWords(text).map((word) => wordExpression(store, word)));
  if (words.length === 0) return undefined;
  return { match: `(${words.map(({ match }) => match).join(" AND ")})`, sure: words.every(({ sure }) => sure) };
}

/** The index has the beginnings of words up to this length, each as a term. */
const beginningMax = 4;
const wordsMax = 64;

/**
 * A beginning that is no term of the index would be put together from all the words that begin so, with all their
 * reports, before the first is found: half a second at a million. So these words are named, when they are not too many.
 */
async function wordExpression(store: Reader, word: string): Promise<Part> {
  if ([...word].length <= beginningMax) return { match: `${quoted(word)}*`, sure: true };
  const words = await wordsFrom(store, word);
  if (words) return { match: words.length === 0 ? quoted(word) : `(${words.map(quoted).join(" OR ")})`, sure: true };
  return { match: `${quoted([...word].slice(0, beginningMax).join(""))}*`, sure: false };
}

/** Undefined when there are too many. */
async function wordsFrom(store: Reader, beginning: string): Promise<string[] | undefined> {
  const words: string[] = [];
  let from = beginning;
  while (words.length <= wordsMax) {
    // One at a time: each is found at once, and going on to the next would pass through all reports that have it.
    const [row] = await store.all<{ term: string }>("select term from report_word where term >= $1 limit 1", [from]);
    if (!row?.term.startsWith(beginning)) return words;
    words.push(row.term);
    from = `${row.term}\u0001`;
  }
  return undefined;
}

function filterExpression(term: Extract<Term, { kind: "filter" }>): Part | undefined {
  const { name, tag = "", values } = term;
  // What changes after a report was stored is not in the index.
  if (name === "is") return undefined;
  const some = values.map(({ text, open }) => {
    const facet = name === "tag" ? tagTerm(tag, text) : facetTerm(name, text);
    return quoted(facet) + (open ? "*" : "");
  });
  const isWhole = values.every(({ text, open }) => !open && hasOwnTerm(...(name === "tag" ? [tag, text] : [text])));
  return { match: `(${some.join(" OR ")})`, sure: isWhole || isIndexOnly(term) };
}

/** Terms have letters, digits and two signs of ours; quoted, none of them is an operator. */
function quoted(term: string): string {
  return `"${term}"`;
}
