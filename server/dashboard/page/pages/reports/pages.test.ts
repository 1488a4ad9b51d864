import { describe, expect, test } from "bun:test";
import { windowOf } from "../../core/window.ts";
import { countOf, indexOf, type Page, rowAt, without, withPage, withRow } from "./pages.ts";
import { between } from "./selection.ts";
import type { ReportRow } from "./types.ts";

function row(id: string): ReportRow {
  const nothing = { title: null, level: null, type: null, environment: null, release: null };
  return { id, ...nothing, receivedAt: "2026-01-01T00:00:00.000Z", received: 1, warnings: 0, attachments: 0 };
}

function page(number: number, size = 50): Page {
  const items = Array.from({ length: size }, (_, i) => row(`${number}-${i}`));
  return { cursor: number === 0 ? null : `c${number}`, count: size, items, next: `c${number + 1}` };
}

const many = (count: number) =>
  Array.from({ length: count }, (_, i) => page(i)).reduce<Page[]>((pages, one) => withPage(pages, one), []);

describe("pages of a list", () => {
  test("are one row of rows", () => {
    const pages = many(3);
    expect(countOf(pages)).toBe(150);
    expect(rowAt(pages, 0)?.row?.id).toBe("0-0");
    expect(rowAt(pages, 149)?.row?.id).toBe("2-49");
    expect(rowAt(pages, 150)).toBeUndefined();
    expect(indexOf(pages, "1-7")).toBe(57);
    expect(indexOf(pages, "9-9")).toBe(-1);
  });

  test("drop the farthest rows past 2,000, and keep their places", () => {
    const pages = many(100);
    expect(countOf(pages)).toBe(5_000);
    expect(pages.flatMap(({ items }) => items ?? []).length).toBe(2_000);
    expect(rowAt(pages, 0)).toEqual({ page: 0, row: undefined });
    expect(rowAt(pages, 4_999)?.row?.id).toBe("99-49");
    const back = withPage(pages, page(0));
    expect(rowAt(back, 0)?.row?.id).toBe("0-0");
    expect(back.flatMap(({ items }) => items ?? []).length).toBeLessThanOrEqual(2_000);
  });

  test("lose what was deleted, and show what changed", () => {
    const pages = without(many(2), new Set(["0-3", "1-0"]));
    expect(countOf(pages)).toBe(98);
    expect(rowAt(pages, 3)?.row?.id).toBe("0-4");
    expect(rowAt(withRow(pages, { ...row("0-4"), received: 9 }), 3)?.row?.received).toBe(9);
  });

  test("between two rows are those between them, in either direction", () => {
    const pages = many(2);
    expect(between(pages, "0-48", "1-1")).toEqual(["0-48", "0-49", "1-0", "1-1"]);
    expect(between(pages, "1-1", "0-49")).toEqual(["0-49", "1-0", "1-1"]);
    expect(between(pages, "gone", "0-1")).toEqual([]);
  });
});

describe("the window of a list", () => {
  test("has what is in view and some around it", () => {
    expect(windowOf({ top: 0, height: 530, rowHeight: 53, count: 1_000_000 })).toEqual({ from: 0, to: 22 });
    expect(windowOf({ top: 53_000, height: 530, rowHeight: 53, count: 1_000_000 })).toEqual({ from: 988, to: 1_022 });
    expect(windowOf({ top: 53_000_000, height: 530, rowHeight: 53, count: 40 })).toEqual({ from: 39, to: 40 });
    expect(windowOf({ top: 0, height: 530, rowHeight: 53, count: 0 })).toEqual({ from: 0, to: 0 });
  });

  test("never has more than 60 rows, however high it is", () => {
    const { from, to } = windowOf({ top: 9_000, height: 90_000, rowHeight: 53, count: 1_000_000 });
    expect(to - from).toBeLessThan(60);
  });
});
