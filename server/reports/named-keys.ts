import type { Reader } from "../core/store.ts";
import type { FilterValue, Problem, Term } from "./parse-report-query.ts";

/**
 * Replaces the names of SDK keys in a query by their ids. A name that no SDK key of the project has becomes a problem.
 */
export async function nameKeys(
  store: Reader,
  projectId: string,
  read: { terms: Term[]; problems: Problem[] },
): Promise<{ terms: Term[]; problems: Problem[] }> {
  const isKey = (term: Term) => term.kind === "filter" && term.name === "key";
  if (!read.terms.some(isKey)) return read;
  const keys = await store.all<KeyRow>("select id, name, value from sdk_key where project_id = $1 limit 1000", [
    projectId,
  ]);
  const problems = [...read.problems];
  const terms = read.terms.flatMap((term): Term[] => {
    if (term.kind !== "filter" || term.name !== "key") return [term];
    const values = term.values.flatMap((value) => idsOf(keys, value));
    if (values.length > 0) return [{ ...term, values }];
    problems.push({ ...term.source, message: "The project has no SDK key of that name." });
    return [];
  });
  return { terms, problems };
}

type KeyRow = { id: string; name: string; value: string };

function idsOf(keys: readonly KeyRow[], { text, open }: FilterValue): FilterValue[] {
  const wanted = text.toLowerCase();
  return keys
    .filter(({ id, name, value }) => {
      if (open) return name.toLowerCase().startsWith(wanted);
      return id === wanted || name.toLowerCase() === wanted || value === text;
    })
    .map(({ id }) => ({ text: id, open: false }));
}
