import { expect, test } from "bun:test";
import { retryTimelineOf } from "./retry-timeline.ts";

const schedule = [0, 5, 300];
const at = (milliseconds: number) => new Date(milliseconds).toISOString();

test("what was tried has its own times, what comes is counted from the next", () => {
  expect(retryTimelineOf({ tried: [{ at: 1_000, error: "status" }], nextAt: 9_000, schedule })).toEqual([
    { offset: 0, at: at(1_000), state: "failed" },
    { offset: 5, at: at(9_000), state: "next" },
    { offset: 305, at: at(309_000), state: "planned" },
  ]);
});

test("one that has ended, or that is held, has no times to come", () => {
  expect(retryTimelineOf({ tried: [{ at: 1_000, error: null }], nextAt: null, schedule })).toEqual([
    { offset: 0, at: at(1_000), state: "accepted" },
    { offset: 5, at: null, state: "planned" },
    { offset: 305, at: null, state: "planned" },
  ]);
});

test("a schedule that has become shorter still shows where it ends", () => {
  const tried = [1, 2, 3, 4].map((second) => ({ at: second * 1_000, error: "timeout" }));
  expect(retryTimelineOf({ tried, nextAt: null, schedule }).map(({ state }) => state)).toEqual([
    "failed",
    "failed",
    "failed",
  ]);
});
