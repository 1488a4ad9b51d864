import { levels } from "../../openapi/schema/ingest.ts";

/** The filters that a query may name; a filter for a tag also has the name of the tag. */
export const filterNames = ["level", "type", "env", "release", "user.id", "user.email", "key", "has", "is"] as const;
export type FilterName = (typeof filterNames)[number] | "tag";

export const hasValues = ["attachment", "warning", "dropped"] as const;
export const isValues = ["repeated", "undelivered"] as const;

export interface FilterValue {
  text: string;
  /** Whether every value that begins with the text matches. */
  open: boolean;
}

export type Term =
  | { kind: "filter"; name: FilterName; tag?: string; values: FilterValue[]; not: boolean; source: Source }
  | { kind: "text"; text: string; not: boolean; source: Source };

/** Position of a term in the query. */
interface Source {
  term: string;
  at: number;
  length: number;
}

/** A term that was left out of the search, and the reason. */
export interface Problem extends Source {
  message: string;
}

const queryMax = 1_000;
const termsMax = 30;
const valuesMax = 20;

/**
 * Reads a query that a person typed: `level:fatal,error -env:staging tag.screen:checkout total`. A term that makes no
 * sense is left out and reported as a problem; the other terms hold.
 */
export function readQuery(typed: string): { terms: Term[]; problems: Problem[] } {
  const terms: Term[] = [];
  const problems: Problem[] = [];
  for (const source of split(typed.slice(0, queryMax))) {
    const read = terms.length < termsMax ? readTerm(source) : `Only the first ${termsMax} terms are used.`;
    if (typeof read === "string") problems.push({ ...source, message: read });
    else terms.push(read);
  }
  if (typed.length > queryMax) {
    const source = { term: typed.slice(queryMax, queryMax + 20), at: queryMax, length: typed.length - queryMax };
    problems.push({ ...source, message: `Only the first ${queryMax} characters are read.` });
  }
  return { terms, problems };
}

/** Splits a query at blanks outside of quotes. A quote that is never closed ends with the text. */
function split(typed: string): Source[] {
  return [...typed.matchAll(/(?:"[^"]*(?:"|$)|[^\s"])+/g)].map(({ 0: term, index }) => {
    return { term, at: index, length: term.length };
  });
}

const knownName = /^(level|type|env|release|user\.id|user\.email|key|has|is|tag\.[^:"]+):(.*)$/is;
/** Looks like the name of a filter, and not like the scheme of a URL. */
const likeName = /^([a-z][a-z._]*):(?!\/\/)./;

/** Reads one term; returns the reason when it makes no sense. */
function readTerm(source: Source): Term | string {
  const not = source.term.length > 1 && source.term.startsWith("-");
  const body = not ? source.term.slice(1) : source.term;
  const [, name, given] = knownName.exec(body) ?? [];
  if (name === undefined || given === undefined) {
    const [, unknown] = likeName.exec(body) ?? [];
    if (unknown === "tag." || unknown === "tag") return "Name the tag, for example tag.screen:checkout.";
    if (unknown !== undefined) return `There is no filter ${unknown}. Put it in quotes to look for it as text.`;
    const text = body.replaceAll('"', " ").trim();
    return shortest.test(text) ? { kind: "text", text, not, source } : "Type at least 2 letters or digits.";
  }
  const values = valuesIn(given);
  if (values.length === 0) return `Say which, for example ${exampleOf(name.toLowerCase())}.`;
  if (values.length > valuesMax) return `At most ${valuesMax} values in one term.`;
  if (/^tag\./i.test(name)) return { kind: "filter", name: "tag", tag: name.slice(4), values, not, source };
  const known = name.toLowerCase() as (typeof filterNames)[number];
  const allowed = closedValues[known];
  for (const value of values) {
    if (!allowed) break;
    value.text = value.text.toLowerCase();
    if (value.open || !allowed.includes(value.text)) {
      return `${known}: takes ${allowed.slice(0, -1).join(", ")} or ${allowed.at(-1)}.`;
    }
  }
  return { kind: "filter", name: known, values, not, source };
}

const shortest = /[\p{L}\p{M}\p{N}]{2}/u;

const closedValues: Partial<Record<string, readonly string[]>> = { level: levels, has: hasValues, is: isValues };

/**
 * Splits values at commas outside of quotes. A star at the end, outside of quotes, matches every value that begins so.
 */
function valuesIn(given: string): FilterValue[] {
  const values: FilterValue[] = [];
  for (const [piece] of given.matchAll(/(?:"[^"]*(?:"|$)|[^,"])+/g)) {
    const open = piece.endsWith("*");
    const text = (open ? piece.slice(0, -1) : piece).replaceAll('"', "");
    if (text.trim() !== "") values.push({ text, open });
  }
  return values;
}

function exampleOf(name: string): string {
  const values: Record<string, string> = { level: "fatal", type: "crash", env: "production", release: "4.12.*" };
  const value = values[name] ?? closedValues[name]?.[0] ?? "name";
  return `${name}:${value}`;
}
