import { useState } from "preact/hooks";
import { indexOf, type Page, rowAt } from "./pages.ts";

/** The reports that are selected for an action on all of them. */
export interface Selection {
  ids: ReadonlySet<string>;
  has: (id: string) => boolean;
  /** Selects or deselects a report; `extend` also selects those between it and the last selected one. */
  toggle: (id: string, extend?: boolean) => void;
  clear: () => void;
}

export function useSelection(pages: readonly Page[]): Selection {
  const [{ ids, last }, setState] = useState<{ ids: ReadonlySet<string>; last: string | undefined }>({
    ids: new Set(),
    last: undefined,
  });
  return {
    ids,
    has: (id) => ids.has(id),
    toggle: (id, extend = false) => {
      const picked = extend && last !== undefined ? between(pages, last, id) : [];
      if (picked.length > 0) setState({ ids: new Set([...ids, ...picked]), last: id });
      else if (ids.has(id)) setState({ ids: new Set([...ids].filter((one) => one !== id)), last: id });
      else setState({ ids: new Set([...ids, id]), last: id });
    },
    clear: () => setState({ ids: new Set(), last: undefined }),
  };
}

/** Ids of the rows from one to another, both included. */
export function between(pages: readonly Page[], one: string, other: string): string[] {
  const places = [indexOf(pages, one), indexOf(pages, other)];
  const [from, to] = [Math.min(...places), Math.max(...places)];
  if (from < 0) return [];
  return Array.from({ length: to - from + 1 }, (_, i) => rowAt(pages, from + i)?.row?.id).filter(
    (id) => id !== undefined,
  );
}
