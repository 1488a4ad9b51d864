import { useShortcuts } from "./keys.ts";

/** J, K and the arrows go from row to row of the page's table; Enter is the link's or button's own. */
export function useRowKeys(what: string) {
  useShortcuts([
    { keys: "j", does: `Next ${what}`, run: () => step(1) },
    { keys: "k", does: `Previous ${what}`, run: () => step(-1) },
    { keys: "ArrowDown", run: () => step(1) },
    { keys: "ArrowUp", run: () => step(-1) },
  ]);
}

function step(by: number) {
  const rows = [...document.querySelectorAll("#main tbody tr")].filter((row) => firstOf(row));
  const present = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[present < 0 ? (by > 0 ? 0 : rows.length - 1) : present + by];
  const target = next && firstOf(next);
  target?.focus();
  target?.scrollIntoView({ block: "nearest" });
}

function firstOf(row: Element): HTMLElement | null {
  return row.querySelector<HTMLElement>("a[href], button");
}
