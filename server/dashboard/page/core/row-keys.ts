import { useShortcuts } from "./keys.ts";

/** Moves between the rows of a table with J, K and the arrows. Enter activates the focused link or button itself. */
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
