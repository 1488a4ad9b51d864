import { expect, test } from "bun:test";
import { ReadingTime } from "./reading-time.ts";

test("time that is spent counts for 60 s, and the wait ends when there is room again", () => {
  let now = 5_000_000;
  const time = new ReadingTime(() => now);
  expect(time.wait("a", 1_000)).toBe(0);
  time.add("a", 600);
  expect(time.wait("a", 1_000)).toBe(0);
  now += 25_000;
  time.add("a", 500);
  const seconds = time.wait("a", 1_000);
  expect(seconds).toBeGreaterThan(25);
  expect(seconds).toBeLessThanOrEqual(36);
  now += seconds * 1_000 - 1_001;
  expect(time.wait("a", 1_000)).toBeGreaterThan(0);
  now += 1_001;
  expect(time.wait("a", 1_000)).toBe(0);
  now += 60_000;
  expect(time.wait("a", 1)).toBe(0);
});

test("one spends nobody else's, and however many there are, few are remembered", () => {
  const time = new ReadingTime(() => 1_000_000);
  time.add("a", 5_000);
  expect([time.wait("a", 1_000) > 0, time.wait("b", 1_000)]).toEqual([true, 0]);
  for (let n = 0; n < 10_000; n++) time.add(`other ${n}`, 1);
  expect(time.wait("a", 1_000)).toBe(0);
});
