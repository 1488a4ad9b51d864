/** The filters of the list of reports, with an explanation of each. */
export const filters = [
  { name: "level", means: "fatal, error, warning, info, debug" },
  { name: "type", means: "what kind of report: crash, feedback …" },
  { name: "env", means: "environment" },
  { name: "release", means: "release; 4.12.* for all that begin so" },
  { name: "tag.", means: "a tag by its name: tag.screen:checkout" },
  { name: "user.id", means: "the user's id" },
  { name: "user.email", means: "the user's e-mail" },
  { name: "key", means: "the SDK key it was sent with" },
  { name: "has", means: "attachment, warning, dropped" },
  { name: "is", means: "repeated, undelivered" },
] as const;

interface Placed {
  term: string;
  at: number;
}

/** Splits a query at blanks outside of quotes, as the server does. */
export function termsOf(text: string): Placed[] {
  return [...text.matchAll(/(?:"[^"]*(?:"|$)|[^\s"])+/g)].map(({ 0: term, index }) => ({ term, at: index }));
}

const filterShape = /^-?[a-z][a-z._]*[^:"\s]*:(?!\/\/)/i;

/** Whether the term has the shape `name:value`, also when there is no such filter. */
export function isFilter(term: string): boolean {
  return filterShape.test(term) && !term.endsWith(":");
}

/** The contents of the query bar: filters, each a pill, and the text that is searched for. */
interface InBar {
  pills: string[];
  text: string;
}

export function inBar(query: string): InBar {
  const terms = termsOf(query).map(({ term }) => term);
  return {
    pills: terms.filter(isFilter),
    text: terms.filter((term) => !isFilter(term)).join(" "),
  };
}

export function queryOf({ pills, text }: InBar): string {
  return [...pills, text.trim()].filter((part) => part !== "").join(" ");
}

/** `env:production`, quoted where necessary; undefined for a name or value that no term can express. */
export function termFor(name: string, value: string): string | undefined {
  if (value.trim() === "" || (name.startsWith("tag.") && /[\s:"]/.test(name.slice(4)))) return undefined;
  const quote = value.indexOf('"');
  // A quote cannot be escaped, so the term matches the beginning before it.
  if (quote >= 0) return quote === 0 ? undefined : `${name}:"${value.slice(0, quote)}"*`;
  return `${name}:${/[\s,]|\*$/.test(value) ? `"${value}"` : value}`;
}

/** Adds one term to the query. */
export function withTerm(query: string, term: string): string {
  return termsOf(query).some((known) => known.term === term) ? query : `${query} ${term}`.trim();
}

/** The part of the query at the caret that can be completed. */
export interface Asking {
  /** Empty while the name of a filter is being typed. */
  name: string;
  prefix: string;
  /** The range of the text that a choice replaces. */
  from: number;
  to: number;
}

export function askingAt(text: string, caret: number): Asking {
  const found = termsOf(text).find(({ term, at }) => at <= caret && caret <= at + term.length);
  if (!found) return { name: "", prefix: "", from: caret, to: caret };
  const start = found.at + (found.term.startsWith("-") ? 1 : 0);
  const end = found.at + found.term.length;
  const body = text.slice(start, end);
  const colon = body.indexOf(":");
  if (colon < 0) return { name: "", prefix: body, from: start, to: end };
  const given = body.slice(colon + 1);
  const last = given.length - (/[^,]*$/.exec(given)?.[0].length ?? 0);
  const from = start + colon + 1 + last;
  return { name: body.slice(0, colon).toLowerCase(), prefix: text.slice(from, end).replaceAll('"', ""), from, to: end };
}

/** The query with a choice in place of the typed part, and the new position of the caret. */
export function completed(text: string, { name, from, to }: Asking, choice: string): { text: string; caret: number } {
  const put = name === "" ? `${choice}${choice.endsWith(".") ? "" : ":"}` : (termFor("", choice)?.slice(1) ?? choice);
  return { text: text.slice(0, from) + put + text.slice(to), caret: from + put.length };
}
