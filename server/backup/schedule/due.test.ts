import { expect, test } from "bun:test";
import { nextBackupAt, verifyIsDue } from "./due.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = 1_000 * day;

const made = (startedAt: number) => ({ startedAt, endedAt: startedAt + minute, backupId: "b" });
const failed = (startedAt: number) => ({ startedAt, endedAt: startedAt + minute, backupId: null });

test("the first backup is due at once, and each further one its interval after the last has begun", () => {
  expect(nextBackupAt([], 24, now)).toBe(now);
  expect(nextBackupAt([made(now - hour)], 24, now)).toBe(now + 23 * hour);
});

test("after failures it is tried again in 5 minutes, in 15, and then every hour", () => {
  const waits = [1, 2, 3, 4, 10].map((count) => {
    const tries = Array.from({ length: count }, () => failed(now - minute));
    return nextBackupAt([...tries, made(now - day)], 24, now) - now;
  });
  expect(waits).toEqual([5 * minute, 15 * minute, hour, hour, hour]);
  expect(nextBackupAt([{ ...failed(now), endedAt: null }], 24, now)).toBe(now + 5 * minute);
});

test("a clock that was set back by a year makes one backup at once and goes on from there", () => {
  const before = made(now + 365 * day);
  expect(nextBackupAt([before], 24, now)).toBe(now);
  expect(nextBackupAt([made(now), before], 24, now + minute)).toBe(now + day);
  expect(nextBackupAt([failed(now), before], 24, now + minute)).toBe(now + 6 * minute);
  expect(nextBackupAt([{ ...failed(now - minute), endedAt: now + 365 * day }], 24, now)).toBe(now + 5 * minute);
});

test("a clock that was corrected by seconds does not make a second backup", () => {
  expect(nextBackupAt([made(now + 3_000)], 24, now)).toBe(now + 3_000 + day);
});

test("a backup is read back when a day would pass without one that was", () => {
  const due = (age: number, every: number) => verifyIsDue({ asOf: now }, { asOf: now - age }, every);
  expect(verifyIsDue({ asOf: now }, undefined, 24)).toBe(true);
  expect([due(hour, 1), due(22 * hour, 1), due(23.1 * hour, 1)]).toEqual([false, false, true]);
  expect([due(20 * hour, 20), due(day, 24), due(7 * day, 168)]).toEqual([true, true, true]);
});
