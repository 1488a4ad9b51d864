import { signal } from "@preact/signals";

/** The address of the page. `behind` is the address of the page that a card or report was opened from and lies over. */
interface Place {
  path: string;
  query: URLSearchParams;
  /** The part after the #, which holds secrets of links. Browsers never send it. */
  fragment: string;
  behind: string | undefined;
  /** How many earlier pages of this visit Back can reach. */
  steps: number;
}

interface HistoryState {
  behind?: string;
  steps?: number;
}

export const place = signal<Place>(here());

function here(): Place {
  const { behind, steps = 0 } = (history.state ?? {}) as HistoryState;
  return {
    path: location.pathname,
    query: new URLSearchParams(location.search),
    fragment: location.hash.slice(1),
    behind,
    steps,
  };
}

/** A page that holds unsaved text returns a question here; the answer decides whether the page is left. */
export const leaving = signal<((to: string) => boolean) | undefined>(undefined);

/** Goes to an address of this server. `over` keeps the present page behind the new one. */
export function go(to: string, { replace = false, over = false }: { replace?: boolean; over?: boolean } = {}) {
  if (leaving.value && !leaving.value(to)) return;
  const current = place.value;
  const behind = over ? (current.behind ?? current.path + location.search) : undefined;
  const steps = current.steps + (replace ? 0 : 1);
  const state: HistoryState = behind === undefined ? { steps } : { behind, steps };
  if (replace) history.replaceState(state, "", to);
  else history.pushState(state, "", to);
  place.value = here();
  if (!over && !replace) scrollTo(0, 0);
}

/** Goes back. When the address itself was opened, it goes to the page above. */
export function goBack(above: string) {
  if (place.value.steps > 0) history.back();
  else go(above, { replace: true });
}

/** Changes the query of this page, or of the page behind it, so that a view is a link. Empty values are left out. */
export function setQuery(change: Record<string, string | undefined>, of: "page" | "behind" = "page") {
  const { behind } = place.value;
  const under = of === "behind" && behind !== undefined;
  const [path = "", search] = under ? behind.split("?") : [location.pathname, location.search];
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  const address = path + (text === "" ? "" : `?${text}`);
  if (under) history.replaceState({ ...history.state, behind: address } satisfies HistoryState, "");
  else history.replaceState(history.state, "", address);
  place.value = here();
}

/** `matches("/p/:project/boards/:board", path)` → `{ project, board }`, or undefined. */
export function matches(pattern: string, path: string): Record<string, string> | undefined {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const text = given[i] ?? "";
    if (part.startsWith(":") && text !== "") found[part.slice(1)] = text;
    else if (part !== text) return undefined;
  }
  return found;
}

addEventListener("popstate", () => {
  place.value = here();
});

// Links within this server change the page without loading the document again; the browser follows all others.
document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const link = (event.target as Element | null)?.closest?.("a");
  if (!link?.href || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (/^\/(api|internal|docs|sdk|openapi|files|assets)\b/.test(link.pathname)) return;
  // A link to a place on the same page, such as the skip link.
  if (link.hash !== "" && link.pathname === location.pathname) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash, { over: link.dataset["over"] !== undefined });
});
