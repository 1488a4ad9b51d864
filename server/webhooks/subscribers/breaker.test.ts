import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { afterFailure, type Health, healthy, isHopeless, roomOf } from "./breaker.ts";

const cap = 8;

/** Fails attempts one after the other, each as soon as it may be made. */
function failing(times: number): { health: Health; now: number; opened: number[] } {
  let health = healthy;
  let now = 1_000_000;
  const opened: number[] = [];
  for (let n = 0; n < times; n++) {
    now = Math.max(now, health.openUntil ?? 0);
    const before = health.openings;
    health = afterFailure(health, { startedAt: now, now });
    if (health.openings > before) opened.push((health.openUntil ?? 0) - now);
  }
  return { health, now, opened };
}

describe("the breaker", () => {
  test("stays closed for four failures in a row, and the fifth opens it", () => {
    const four = failing(4);
    expect(four.health).toMatchObject({ failures: 4, openings: 0, openUntil: null });
    expect(roomOf(four.health, { now: four.now, cap })).toBe(cap);
    const five = failing(5);
    expect(five.opened).toEqual([30_000]);
    expect(roomOf(five.health, { now: five.now, cap })).toBe(0);
    expect(roomOf(five.health, { now: five.now + 29_999, cap })).toBe(0);
  });

  test("lets one through when its time is over, and closes with the first success only", () => {
    const { health, now } = failing(5);
    expect(roomOf(health, { now: now + 30_000, cap })).toBe(1);
    expect(roomOf(healthy, { now: now + 30_000, cap })).toBe(cap);
  });

  test("opens for twice as long each time, ten minutes at most, however often", () => {
    const { opened } = failing(4 + 30);
    expect(opened.slice(0, 7)).toEqual([30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]);
    expect(new Set(opened.slice(5))).toEqual(new Set([600_000]));
  });

  test("is not opened for longer by attempts that began before it opened", () => {
    const { health, now } = failing(5);
    let late = health;
    for (let n = 0; n < 7; n++) late = afterFailure(late, { startedAt: now - 10, now: now + 5_000 });
    expect(late).toEqual({ ...health, failures: 12 });
  });

  test("counts from the first failure, and calls it hopeless after 120 hours", () => {
    const since = failing(1).now;
    const { health } = failing(40);
    expect(health.failingSince).toBe(since);
    expect(isHopeless(health, since + 120 * 3_600_000 - 1)).toBe(false);
    expect(isHopeless(health, since + 120 * 3_600_000)).toBe(true);
    expect(isHopeless(healthy, Number.MAX_SAFE_INTEGER)).toBe(false);
  });

  test("whatever fails whenever, also by a clock that jumps: never more than one probe, never longer than ten minutes", () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.nat(20_000)), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (steps) => {
        let health = healthy;
        let now = 1e12;
        for (const [jump, took] of steps) {
          now += jump;
          const after = afterFailure(health, { startedAt: now - took, now });
          expect(after.failures).toBe(health.failures + 1);
          expect(after.failingSince).toBe(health.failingSince ?? now - took);
          if (after.openings > health.openings) expect((after.openUntil ?? 0) - now).toBeWithin(30_000, 600_001);
          else expect(after.openUntil).toBe(health.openUntil);
          health = after;
          const room = roomOf(health, { now, cap });
          expect(room).toBe(health.failures < 5 ? cap : (health.openUntil ?? 0) > now ? 0 : 1);
        }
      }),
    );
  });
});
