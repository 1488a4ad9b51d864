import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readSchedule, usualSchedule, waitAfter } from "./retry-schedule.ts";

const day = 86_400_000;
const tries = fc.nat(60);
const random = fc.double({ min: 0, max: 1, noNaN: true });
const schedules = fc.oneof(
  fc.constant(usualSchedule),
  fc.array(fc.double({ min: 0, max: 604_800, noNaN: true }), { minLength: 1, maxLength: 50 }),
);
const asked = fc.option(fc.double({ min: 0, max: 1e12, noNaN: true }), { nil: undefined });

describe("a delivery that failed", () => {
  test("is tried ten times in three days and a bit, give or take a fifth", () => {
    const seconds = (random: number) =>
      usualSchedule.map((_, n) => Math.round(waitAfter(n, { schedule: usualSchedule, random }) ?? 0) / 1_000);
    expect(seconds(0.5)).toEqual([0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(seconds(0).slice(0, 4)).toEqual([0, 4, 240, 1_440]);
    expect(seconds(1).slice(0, 4)).toEqual([0, 6, 360, 2_160]);
    expect(waitAfter(10, { schedule: usualSchedule, random: 0.5 })).toBeUndefined();
  });

  test("is spent after exactly as many tries as the schedule has numbers", () => {
    fc.assert(
      fc.property(schedules, tries, random, asked, (schedule, tries, random, retryAfterMs) => {
        expect(waitAfter(tries, { schedule, random, retryAfterMs }) === undefined).toBe(tries >= schedule.length);
      }),
    );
  });

  test("never waits less than four fifths of the schedule, nor less than it was asked to, a day at most", () => {
    fc.assert(
      fc.property(schedules, tries, random, asked, (schedule, tries, random, retryAfterMs) => {
        const wait = waitAfter(tries, { schedule, random, retryAfterMs });
        const seconds = schedule[tries];
        if (wait === undefined || seconds === undefined) return;
        const wanted = Math.min(retryAfterMs ?? 0, day);
        expect(wait).toBeGreaterThanOrEqual(wanted);
        expect(wait).toBeGreaterThanOrEqual(seconds * 800 * (1 - 1e-9));
        expect(wait).toBeLessThanOrEqual(Math.max(wanted, seconds * 1_200 * (1 + 1e-9)));
      }),
    );
  });
});

describe("a schedule of one's own", () => {
  test.each([
    ["0", [0]],
    ["0,0.2,0.2", [0, 0.2, 0.2]],
    [" 0 , 5 , 300 ", [0, 5, 300]],
    ["0.0,604800", [0, 604_800]],
    [Array(50).fill("0").join(), Array(50).fill(0)],
  ])("%p is one", (text, schedule) => {
    expect(readSchedule(text)).toEqual(schedule);
  });

  test.each([
    ["", "nothing"],
    ["5", "no attempt at once"],
    ["0,", "nothing after a comma"],
    ["0,-1", "the past"],
    ["0,1e3", "an exponent"],
    ["0,0x10", "hexadecimal"],
    ["0,.5", "no digit before the point"],
    ["0,1 2", "two numbers in one"],
    ["0;5", "another separator"],
    ["0,Infinity", "no number"],
    ["0,604801", "more than a week"],
    [Array(51).fill("0").join(), "51 attempts"],
  ])("%p is none: %s", (text) => {
    expect(() => readSchedule(text)).toThrow("numbers of seconds with commas between them");
  });

  test("is read as it was written", () => {
    const numbers = fc.array(fc.integer({ min: 0, max: 604_800_000 }), { maxLength: 49 });
    fc.assert(
      fc.property(numbers, (milliseconds) => {
        const seconds = [0, ...milliseconds.map((one) => one / 1_000)];
        expect(readSchedule(seconds.map((one) => one.toFixed(3)).join(","))).toEqual(seconds);
      }),
    );
  });
});
