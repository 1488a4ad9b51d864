import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Range, rangeOf } from "./range.ts";

describe("of ten bytes", () => {
  test.each<[string | null, Range]>([
    [null, "whole"],
    ["", "whole"],
    ["bytes=0-0", { start: 0, end: 1 }],
    ["bytes=0-9", { start: 0, end: 10 }],
    ["bytes=2-4", { start: 2, end: 5 }],
    ["bytes=7-", { start: 7, end: 10 }],
    ["bytes=9-400", { start: 9, end: 10 }],
    ["bytes=-3", { start: 7, end: 10 }],
    ["bytes=-10", { start: 0, end: 10 }],
    ["bytes=-400", { start: 0, end: 10 }],
    ["bytes=10-", "unsatisfiable"],
    ["bytes=10-12", "unsatisfiable"],
    ["bytes=-0", "unsatisfiable"],
    // An unreadable header counts as absent.
    ["bytes=4-2", "whole"],
    ["bytes=-", "whole"],
    ["bytes=", "whole"],
    ["bytes=0-1,3-4", "whole"],
    ["bytes=a-b", "whole"],
    ["bytes=-1-2", "whole"],
    ["bytes=1 - 2", "whole"],
    ["items=0-1", "whole"],
    ["bytes=0x1-2", "whole"],
    [`bytes=${"9".repeat(400)}-`, "whole"],
  ])("%p is %p", (header, range) => {
    expect(rangeOf(header, 10)).toEqual(range);
  });
});

test("of nothing there is no part", () => {
  expect(rangeOf("bytes=0-", 0)).toBe("unsatisfiable");
  expect(rangeOf("bytes=0-0", 0)).toBe("unsatisfiable");
  expect(rangeOf("bytes=-3", 0)).toBe("unsatisfiable");
  expect(rangeOf(null, 0)).toBe("whole");
});

test("a part is never empty and never outside", () => {
  const number = fc.option(fc.nat(40), { nil: undefined });
  fc.assert(
    fc.property(number, number, fc.nat(30), (first, last, size) => {
      const range = rangeOf(`bytes=${first ?? ""}-${last ?? ""}`, size);
      if (typeof range === "string") return;
      expect(range.start).toBeGreaterThanOrEqual(0);
      expect(range.end).toBeGreaterThan(range.start);
      expect(range.end).toBeLessThanOrEqual(size);
    }),
  );
});
