import { expect, test } from "bun:test";
import { pairsMin, ratioInterval } from "./ratio-interval.ts";

const pairs = (ratios: readonly number[], old = 200) => ratios.map((ratio) => ({ old, new: old * ratio }));

/** Normal by the sum of twelve, from a fixed seed: the same numbers in every run. */
function noise(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return () => Array.from({ length: 12 }, uniform).reduce((sum, one) => sum + one, -6);
}

test("equal measurements have the ratio 1 and no width", () => {
  expect(ratioInterval(pairs(Array.from({ length: 10 }, () => 1)))).toEqual({ ratio: 1, low: 1, high: 1 });
});

test("the interval of six pairs is all that was measured, as in the tables of the signed-rank test", () => {
  const { low, high } = ratioInterval(pairs([1.01, 1.02, 1.03, 1.04, 1.05, 1.06]));
  expect([low, high]).toEqual([expect.closeTo(1.01, 9), expect.closeTo(1.06, 9)]);
});

test("what hits both of a pair alike changes nothing", () => {
  const ratios = [1.02, 0.99, 1.01, 1.0, 1.03, 0.98, 1.02, 1.01];
  const disturbed = ratios.map((ratio, i) => ({ old: 100 * (i + 1), new: 100 * (i + 1) * ratio }));
  const [quiet, noisy] = [ratioInterval(pairs(ratios)), ratioInterval(disturbed)];
  for (const name of ["ratio", "low", "high"] as const) expect(noisy[name]).toBeCloseTo(quiet[name], 9);
});

test("one pair that went wrong by a factor of ten moves the ratio by less than a percent", () => {
  const ratios = Array.from({ length: 20 }, (_, i) => 1 + ((i % 5) - 2) / 200);
  const { ratio, low, high } = ratioInterval(pairs([...ratios, 10]));
  expect(ratio).toBeCloseTo(1, 2);
  expect([low > 0.98, high < 1.02]).toEqual([true, true]);
});

test("old and new exchanged give the inverse", () => {
  const ratios = [1.1, 1.2, 1.05, 1.15, 1.12, 1.08, 1.3, 0.97];
  const [one, other] = [ratioInterval(pairs(ratios)), ratioInterval(pairs(ratios.map((ratio) => 1 / ratio)))];
  expect(one.ratio * other.ratio).toBeCloseTo(1, 9);
  expect(one.low * other.high).toBeCloseTo(1, 9);
});

test("the interval holds the true ratio in some 95 % of runs", () => {
  const next = noise(16);
  let held = 0;
  for (let run = 0; run < 1_000; run++) {
    const { low, high } = ratioInterval(pairs(Array.from({ length: 18 }, () => 1.1 * Math.exp(0.05 * next()))));
    if (low <= 1.1 && 1.1 <= high) held++;
  }
  expect([held >= 930, held <= 975, held]).toEqual([true, true, held]);
});

test("fewer than six pairs and numbers that have no ratio are refused", () => {
  expect(() => ratioInterval(pairs(Array.from({ length: pairsMin - 1 }, () => 1)))).toThrow("too few");
  expect(() => ratioInterval(pairs([1, 1, 1, 1, 1, 0]))).toThrow("above 0");
});
