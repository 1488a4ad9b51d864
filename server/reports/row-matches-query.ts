import type { FilterName, FilterValue, Term } from "./parse-report-query.ts";

/** The values of a report's row that filters compare. */
export interface Facts {
  level: string | null;
  type: string | null;
  environment: string | null;
  release: string | null;
  userId: string | null;
  userEmail: string | null;
  keyId: string;
  /** Parsed only when a filter needs them. */
  tags: () => Record<string, string>;
  attachments: number;
  warned: boolean;
  repeated: boolean;
  undelivered: boolean;
}

/** Whether a report matches the terms of a query, as far as its row can tell. Every search decides by this function. */
export function matches(terms: readonly Term[], facts: Facts): boolean {
  return terms.every((term) => isIndexOnly(term) || term.kind === "text" || holds(term, facts) !== term.not);
}

/** Whether only the index can decide a term: words, which no column of the row has. */
export function isIndexOnly(term: Term): boolean {
  return term.kind === "text" || (term.name === "has" && term.values.some(({ text }) => text === "dropped"));
}

function holds({ name, tag = "", values }: Extract<Term, { kind: "filter" }>, facts: Facts): boolean {
  return values.some((filterValue) => {
    if (name === "has") return filterValue.text === "attachment" ? facts.attachments > 0 : facts.warned;
    if (name === "is") return filterValue.text === "repeated" ? facts.repeated : facts.undelivered;
    if (name !== "tag") return fits(filterValue, facts[columns[name]]);
    const wanted = tag.toLowerCase();
    return Object.entries(facts.tags()).some(
      ([key, value]) => key.toLowerCase() === wanted && fits(filterValue, value),
    );
  });
}

const columns = {
  level: "level",
  type: "type",
  env: "environment",
  release: "release",
  "user.id": "userId",
  "user.email": "userEmail",
  key: "keyId",
} as const satisfies Partial<Record<FilterName, Exclude<keyof Facts, "tags">>>;

function fits({ text, open }: FilterValue, value: string | null): boolean {
  if (value === null) return false;
  const [wanted, given] = [text.toLowerCase(), value.toLowerCase()];
  return open ? given.startsWith(wanted) : given === wanted;
}
