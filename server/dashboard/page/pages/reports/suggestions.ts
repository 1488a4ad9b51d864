import { useEffect, useState } from "preact/hooks";
import { readSuggestions } from "../report/calls.ts";
import { type Asking, filters } from "../report/terms.ts";
import { type Range, rangeQuery } from "./range.ts";
import type { Suggestions } from "./types.ts";

export interface Choice {
  value: string;
  means?: string | undefined;
  /** How many of the newest reports have the value. */
  count?: number | undefined;
}

const pauseMilliseconds = 80;
const shownMax = 12;

/** Suggestions for what is being typed: names of filters first, then values that occur, the most frequent first. */
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
        // Suggestions are optional: when they fail, a person types without them.
        () => show([]),
      );
    }, pauseMilliseconds);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [key]);
  if (!asking) return [];
  // Until the answer comes, the earlier suggestions that still fit are shown.
  const prefix = asking.prefix.toLowerCase();
  const items = found.name === asking.name ? found.items : [];
  return choicesOf(
    asking.name,
    asking.prefix,
    items.filter(({ value }) => value.toLowerCase().startsWith(prefix)),
  );
}

/** Suggestions of names: the known filters with their explanations, and tags that occur. */
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
