import { expect, test } from "bun:test";
import { metricOf, type Pairs, surelySlower } from "./verdict.ts";

const spread = [-0.01, -0.006, -0.002, 0.002, 0.006, 0.01, -0.004, 0.004];

function cpu(ratio: number, other: Partial<Pairs> = {}) {
  const pairs = spread.map((more) => ({ old: 200, new: 200 * (ratio + more) }));
  return metricOf({ name: "CPU µs/request", digits: 1, better: "lower", judged: true, pairs, ...other });
}

test("10 % more CPU is surely slower, 10 % less and the same are not", () => {
  expect([1.1, 0.9, 1].map((ratio) => surelySlower([cpu(ratio)]).length)).toEqual([1, 0, 0]);
});

test("10 % fewer requests a second are surely slower, 10 % more are not", () => {
  const rate = (ratio: number) => cpu(ratio, { better: "higher" });
  expect([0.9, 1.1, 1].map((ratio) => surelySlower([rate(ratio)]).length)).toEqual([1, 0, 0]);
});

test("a loss whose interval reaches into the tolerated 3 % is not sure", () => {
  const metric = cpu(1.034);
  expect([metric.surelyWorse < 0.03, metric.perhapsWorse > 0.03, surelySlower([metric])]).toEqual([true, true, []]);
});

test("what is not judged does not make the command fail", () => {
  expect(surelySlower([cpu(2, { name: "p99 ms", judged: false })])).toEqual([]);
});

test("the medians of both stand beside the ratio", () => {
  const { old, new: now, ratio } = cpu(1.1);
  expect([old, now, ratio]).toEqual([200, expect.closeTo(220, 0), expect.closeTo(1.1, 2)]);
});
