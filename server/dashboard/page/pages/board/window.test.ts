import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { gap, indexAt, mountedMax, offsetsOf, windowOf } from "./window.ts";

const heights = fc.array(fc.integer({ min: 30, max: 160 }), { maxLength: 400 });

describe("the mounted part of a column", () => {
  test("holds every card that is in sight", () => {
    fc.assert(
      fc.property(heights, fc.nat(60_000), fc.integer({ min: 200, max: 1_000 }), (heights, top, height) => {
        const offsets = offsetsOf(heights);
        const { from, to } = windowOf(offsets, top, height);
        for (const [i, own] of heights.entries()) {
          const start = offsets[i] ?? 0;
          if (start < top + height && start + own > top) expect(i >= from && i < to).toBe(true);
        }
      }),
    );
  });

  test("never more than forty, however small the cards are", () => {
    fc.assert(
      fc.property(fc.nat(20_000), (top) => {
        const { from, to } = windowOf(offsetsOf(Array(10_000).fill(20)), top, 3_000);
        expect(to - from).toBeLessThanOrEqual(mountedMax);
      }),
    );
  });

  test("is empty where there is no card, and ends with the last one", () => {
    expect(windowOf([0], 0, 900)).toEqual({ from: 0, to: 0 });
    expect(windowOf(offsetsOf([50, 50, 50]), 100_000, 900).to).toBe(3);
  });
});

test("offsets end where the list ends, and a point finds its card", () => {
  const offsets = offsetsOf([50, 60]);
  expect(offsets).toEqual([0, 50 + gap, 110 + 2 * gap]);
  expect(indexAt(offsets, 0)).toBe(0);
  expect(indexAt(offsets, 50 + gap)).toBe(1);
  expect(indexAt(offsets, 9_999)).toBe(2);
});
