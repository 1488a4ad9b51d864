import type { ReportRow } from "./types.ts";

/** One page of the list. Its rows may be dropped to save memory; the page keeps its place and can be loaded again. */
export interface Page {
  /** The cursor that loads the page; null for the newest. */
  cursor: string | null;
  count: number;
  items: readonly ReportRow[] | undefined;
  next: string | null;
}

const rowsKept = 2_000;

export function countOf(pages: readonly Page[]): number {
  return pages.reduce((sum, { count }) => sum + count, 0);
}

/** The row at an index of the list, and the page that holds it. */
export function rowAt(pages: readonly Page[], index: number): { page: number; row: ReportRow | undefined } | undefined {
  let start = 0;
  for (const [page, { count, items }] of pages.entries()) {
    if (index < start + count) return { page, row: items?.[index - start] };
    start += count;
  }
  return undefined;
}

export function indexOf(pages: readonly Page[], id: string): number {
  let start = 0;
  for (const { count, items } of pages) {
    const found = items?.findIndex((row) => row.id === id) ?? -1;
    if (found >= 0) return start + found;
    start += count;
  }
  return -1;
}

/** Puts a loaded page in its place. When there are too many rows, those farthest from it are dropped. */
export function withPage(pages: readonly Page[], page: Page): Page[] {
  const at = pages.findIndex(({ cursor }) => cursor === page.cursor);
  const all = at < 0 ? [...pages, page] : pages.with(at, page);
  const here = at < 0 ? all.length - 1 : at;
  let kept = all.reduce((sum, { items }) => sum + (items?.length ?? 0), 0);
  const farthest = all.map((_, i) => i).sort((a, b) => Math.abs(b - here) - Math.abs(a - here));
  for (const i of farthest) {
    const one = all[i];
    if (kept <= rowsKept || !one?.items || i === here) continue;
    kept -= one.items.length;
    all[i] = { ...one, items: undefined };
  }
  return all;
}

export function without(pages: readonly Page[], gone: ReadonlySet<string>): Page[] {
  return pages.map((page) => {
    const items = page.items?.filter(({ id }) => !gone.has(id));
    return items && items.length !== page.items?.length ? { ...page, items, count: items.length } : page;
  });
}

/** Replaces a row by its present state. */
export function withRow(pages: readonly Page[], row: ReportRow): Page[] {
  return pages.map((page) =>
    page.items?.some(({ id }) => id === row.id)
      ? { ...page, items: page.items.map((one) => (one.id === row.id ? row : one)) }
      : page,
  );
}
