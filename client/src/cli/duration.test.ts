import { expect, test } from "bun:test";
import { durationMs } from "./duration.ts";

test.each([
  ["0", 0],
  ["0s", 0],
  ["90s", 90_000],
  ["5m", 300_000],
  ["2h", 7_200_000],
  ["1h30m", 5_400_000],
  ["1m30s", 90_000],
  ["24h", 86_400_000],
])("%s is %d ms", (text, ms) => expect(durationMs(text)).toBe(ms));

test.each(["", "5", "m", "-5m", "1.5h", "5 m", "5M", "30m1h", "24h1s", "99999999999999999h", "5ms", "5m\n"])(
  "%j is no duration",
  (text) => expect(durationMs(text)).toBeUndefined(),
);
