import { useEffect, useState } from "preact/hooks";
import { readSuggestions } from "../report/calls.ts";
import { type Asking, filters } from "../report/terms.ts";
import { type Range, rangeQuery } from "./range.ts";
import type { Suggestions } from "./types.ts";

export interface Choice {
  value: string;
  means?: string | undefined;
  /** How many of the newest reports have it. */
  count?: number | undefined;
}

const pauseMilliseconds = 80;
const shownMax = 12;

/** What could be meant by what is typed: names of filters first, then values that occur, the most frequent first. */
export function useChoices(projectId: string, asking: Asking | undefined, range: Range): readonly Choice[] {
  const [found, setFound] = useState<{ name: string; items: Suggestions["items"] }>({ name: "", items: [] });
  const key = asking && JSON.stringify([asking.name, asking.prefix, range]);
  useEffect(() => {
    if (!asking) return;
    let current = true;
    const { name, prefix } = asking;
    const show = (items: Suggestions["items"]) => current && setFound({ name, items });
    const timer = setTimeout(() => {
      readSuggestions(projectId, { name, prefix, ...rangeQuery(range) }).then(
        ({ items }) => show(items),
        // Suggestions are a help: without them one types on.
        () => show([]),
      );
    }, pauseMilliseconds);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [key]);
  if (!asking) return [];
  // Until the answer comes, those of the one before that still fit.
  const prefix = asking.prefix.toLowerCase();
  const items = found.name === asking.name ? found.items : [];
  return choicesOf(
    asking.name,
    asking.prefix,
    items.filter(({ value }) => value.toLowerCase().startsWith(prefix)),
  );
}

/** Of names those that are known, with what they mean, and tags that occur. */
function choicesOf(name: string, prefix: string, found: Suggestions["items"]): Choice[] {
  if (name !== "") return found.slice(0, shownMax);
  const counts = new Map(found.map(({ value, count }) => [value, count]));
  const known = filters.filter((filter) => filter.name.startsWith(prefix.toLowerCase()));
  const named: Choice[] = known.map((filter) => ({
    value: filter.name,
    means: filter.means,
    count: counts.get(filter.name),
  }));
  const others = found.filter(({ value }) => !filters.some((filter) => filter.name === value));
  return [...named, ...others].slice(0, shownMax);
}
