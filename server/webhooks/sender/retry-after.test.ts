import { expect, test } from "bun:test";
import { retryAfterMs } from "./retry-after.ts";

const now = Date.UTC(2026, 0, 1, 12);

test.each([
  ["0", 0],
  ["120", 120_000],
  [" 120 ", 120_000],
  ["86401", 86_400_000],
  ["9".repeat(400), 86_400_000],
  ["Thu, 01 Jan 2026 12:01:00 GMT", 60_000],
  ["Thu, 01 Jan 2026 11:00:00 GMT", 0],
  ["Fri, 01 Jan 2027 12:00:00 GMT", 86_400_000],
])("%p is %p ms", (header, wait) => {
  expect(retryAfterMs(header, now)).toBe(wait);
});

test.each([undefined, "", "-1", "1.5", "1e3", "soon", "2026-01-02", "Thu, 99 Foo 2026 12:01:00 GMT"])(
  "%p says nothing",
  (header) => {
    expect(retryAfterMs(header, now)).toBeUndefined();
  },
);
