import { useRef, useState } from "preact/hooks";
import { failureOf, type Live, type Loaded, useLoad } from "./load.ts";
import { say } from "./say.ts";

interface Page<Item> {
  items: Item[];
  next: string | null;
}

type Rows<Item, More = object> = Loaded<Page<Item> & More> & {
  /** Loads the next page; undefined at the end. */
  more: (() => void) | undefined;
  busy: boolean;
};

/** A list that is loaded page by page. A change loads all pages again that were loaded so far. */
export function useRows<Answer extends Page<unknown>>(
  key: string,
  load: (cursor: string | undefined) => Promise<Answer>,
  live?: Live,
): Rows<Answer["items"][number], Omit<Answer, "items" | "next">> {
  const shown = useRef({ key, pages: 1 });
  if (shown.current.key !== key) shown.current = { key, pages: 1 };
  const [busy, setBusy] = useState(false);

  async function all(): Promise<Answer> {
    let page = await load(undefined);
    const items = [...page.items];
    for (let count = 1; count < shown.current.pages && page.next !== null; count++) {
      page = await load(page.next);
      items.push(...page.items);
    }
    return { ...page, items };
  }

  const loaded = useLoad(key, all, live);
  const { data, set } = loaded;

  async function more() {
    if (!data?.next || busy) return;
    setBusy(true);
    try {
      const page = await load(data.next);
      shown.current.pages++;
      set({ ...page, items: [...data.items, ...page.items] });
    } catch (error) {
      say(failureOf(error).message, { bad: true });
    } finally {
      setBusy(false);
    }
  }

  return { ...loaded, more: data?.next ? more : undefined, busy } as never;
}
