import type { Engine } from "../core/store.ts";

interface MatchSyntax {
  and: string;
  or: string;
  without: string;
  /** A term of the index, or with `open` every term that begins like this. */
  term(term: string, open?: boolean): string;
}

/**
 * How an index of words is asked: expressions of FTS5, and those of PostgreSQL's type tsquery. Terms contain letters,
 * digits and two marks; in quotes none of them is an operator.
 */
export const matchSyntax: Readonly<Record<Engine, MatchSyntax>> = {
  sqlite: { and: " AND ", or: " OR ", without: " NOT ", term: (term, open) => `"${term}"${open ? "*" : ""}` },
  postgres: { and: " & ", or: " | ", without: " & !", term: (term, open) => `'${term}'${open ? ":*" : ""}` },
};
