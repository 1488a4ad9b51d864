import { expect, test } from "bun:test";
import { SliceSize } from "./slice-size.ts";

test("slices grow while they are faster than the goal, at most twofold, and shrink at once", () => {
  const slice = new SliceSize({ milliseconds: 2, min: 4, max: 100 });
  expect(slice.size).toBe(4);
  slice.took(0.1, 4);
  expect(slice.size).toBe(8);
  for (let i = 0; i < 10; i++) slice.took(0.1, slice.size);
  expect(slice.size).toBe(100);
  slice.took(20, 100);
  expect(slice.size).toBe(10);
  slice.took(1_000, 10);
  expect(slice.size).toBe(4);
});

test("a clock that did not move between begin and end makes no slice endless", () => {
  const slice = new SliceSize({ milliseconds: 2, min: 4, max: 100 });
  slice.took(0, 4);
  expect(slice.size).toBe(8);
});
