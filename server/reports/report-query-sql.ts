import type { Reader } from "../core/store.ts";
import { matchSyntax } from "./match-syntax.ts";
import type { Term } from "./parse-report-query.ts";
import { facetTerm, hasOwnTerm, queryWords, tagTerm } from "./report-terms.ts";
import { isIndexOnly } from "./row-matches-query.ts";

export interface Expression {
  /** The expression for the index: it finds every report that matches the query, and perhaps more. */
  match: string;
  /** Texts that the index cannot decide: each report that it finds has to be compared with them. */
  unsure: Extract<Term, { kind: "text" }>[];
}

/** Returns undefined when the expression would match all reports. */
export async function expressionOf(
  store: Reader,
  projectId: string,
  terms: readonly Term[],
): Promise<Expression | undefined> {
  const syntax = matchSyntax[store.engine];
  const wanted: string[] = [];
  const unwanted: string[] = [];
  const unsure: Expression["unsure"] = [];
  for (const term of terms) {
    const part = term.kind === "text" ? await textExpression(store, term.text) : await filterExpression(store, term);
    if (part === undefined) continue;
    if (term.kind === "text" && !part.sure) unsure.push(term);
    // A part that may match too many reports must not exclude any of them.
    if (!term.not) wanted.push(part.match);
    else if (part.sure) unwanted.push(part.match);
  }
  if (wanted.length === 0 && unwanted.length === 0 && unsure.length === 0) return undefined;
  const all = [syntax.term(facetTerm("project", projectId)), ...wanted].join(syntax.and);
  return { match: unwanted.length === 0 ? all : `(${all})${syntax.without}(${unwanted.join(syntax.or)})`, unsure };
}

/** `sure` when the expression matches exactly the wanted reports. */
interface Part {
  match: string;
  sure: boolean;
}

/** The expression for reports with words that begin like those of a text; undefined when the text has no words. */
export async function textExpression(store: Reader, text: string): Promise<Part | undefined> {
  const words = await Promise.all(queryWords(text).map((word) => wordExpression(store, word)));
  if (words.length === 0) return undefined;
  const { and } = matchSyntax[store.engine];
  return { match: `(${words.map(({ match }) => match).join(and)})`, sure: words.every(({ sure }) => sure) };
}

/** FTS5 stores the beginnings of words up to this length as terms. */
const beginningMax = 4;
const wordsMax = 64;
/** FTS5 merges the reports of so many words in 20 ms. */
const mergedMax = 50_000;

/**
 * The expression for words with a beginning. For a longer beginning FTS5 would merge the reports of every such word
 * before it gives the first one: half a second at a million reports. So the words themselves are named, unless there
 * are many; many words that few reports have are merged.
 */
async function wordExpression(store: Reader, word: string): Promise<Part> {
  const { term } = matchSyntax[store.engine];
  if (store.engine === "postgres" || [...word].length <= beginningMax) return { match: term(word, true), sure: true };
  const named = await namedExpression(store, word);
  if (named !== undefined) return { match: named, sure: true };
  if (await isMergedSoon(store, word)) return { match: term(word, true), sure: true };
  return { match: term([...word].slice(0, beginningMax).join(""), true), sure: false };
}

/** Whether few reports have words with this beginning; one that has several of them counts several times. */
async function isMergedSoon(store: Reader, beginning: string): Promise<boolean> {
  const counted = await store.one<{ count: number }>(
    "select count(*) as count from (select 1 from report_word where term >= $1 and term < $2 limit $3)",
    [beginning, `${beginning}\u{10ffff}`, mergedMax + 1],
  );
  return counted !== undefined && counted.count <= mergedMax;
}

/** The expression that names every indexed term with this beginning; undefined when there are too many. */
async function namedExpression(store: Reader, beginning: string): Promise<string | undefined> {
  const { term, or } = matchSyntax[store.engine];
  const words = await wordsFrom(store, beginning);
  return words && (words.length === 0 ? term(beginning) : `(${words.map((word) => term(word)).join(or)})`);
}

/** The indexed words with this beginning; undefined when there are too many. */
async function wordsFrom(store: Reader, beginning: string): Promise<string[] | undefined> {
  const words: string[] = [];
  let from = beginning;
  while (words.length <= wordsMax) {
    // One word at a time: each look-up is immediate, while stepping to the next row would pass every report with the
    // same word.
    const [row] = await store.all<{ term: string }>("select term from report_word where term >= $1 limit 1", [from]);
    if (!row?.term.startsWith(beginning)) return words;
    words.push(row.term);
    from = `${row.term}\u0001`;
  }
  return undefined;
}

async function filterExpression(store: Reader, term: Extract<Term, { kind: "filter" }>): Promise<Part | undefined> {
  const syntax = matchSyntax[store.engine];
  const { name, tag = "", values } = term;
  // What changes after a report was stored, such as its repeats, is not in the index.
  if (name === "is") return undefined;
  const some: string[] = [];
  for (const { text, open } of values) {
    const facet = name === "tag" ? tagTerm(tag, text) : facetTerm(name, text);
    const named = open && store.engine === "sqlite" ? await namedExpression(store, facet) : undefined;
    some.push(named ?? syntax.term(facet, open));
  }
  const isWhole = values.every(({ text, open }) => !open && hasOwnTerm(...(name === "tag" ? [tag, text] : [text])));
  return { match: `(${some.join(syntax.or)})`, sure: isWhole || isIndexOnly(term) };
}
