import { expect, test } from "bun:test";
import { keptIds, readKeepRule } from "./keep-rule.ts";

/** Backups every six hours for 400 days, the newest on Thursday 2026-11-19 at 18:00. */
const newest = Date.parse("2026-11-19T18:00:00Z");
const backups = Array.from({ length: 1_600 }, (_, i) => {
  const asOf = new Date(newest - i * 6 * 3_600_000).toISOString();
  return { id: asOf, asOf };
});

const kept = (rule: string, from = backups) => [...keptIds(readKeepRule(rule), from)].sort().reverse();

test("of each day, week, month and year the newest backup is kept", () => {
  expect(kept("3d")).toEqual(["2026-11-19T18:00:00.000Z", "2026-11-18T18:00:00.000Z", "2026-11-17T18:00:00.000Z"]);
  expect(kept("2w")).toEqual(["2026-11-19T18:00:00.000Z", "2026-11-15T18:00:00.000Z"]);
  expect(kept("3m")).toEqual(["2026-11-19T18:00:00.000Z", "2026-10-31T18:00:00.000Z", "2026-09-30T18:00:00.000Z"]);
  expect(kept("2y")).toEqual(["2026-11-19T18:00:00.000Z", "2025-12-31T18:00:00.000Z"]);
});

test("a backup stays that any part of the rule keeps", () => {
  // The newest of this week, of the one before and of this month are among those of the seven days.
  expect(kept("7d,4w,12m")).toHaveLength(7 + 2 + 11);
});

test("days without a backup do not count, and the newest backup always stays", () => {
  const old = backups.filter((_, i) => i % 40 === 39);
  expect(kept("2d", old)).toEqual(old.slice(0, 2).map(({ id }) => id));
  expect(kept("1m", [])).toEqual([]);
});

test.each(["", "7", "7x", "0d", "7d,", "7d,3d", "-1d", "7 d", "99999d"])("%j is no rule", (text) => {
  expect(() => readKeepRule(text)).toThrow("must be numbers of days");
});
