import { describe, expect, test } from "bun:test";
import { percent } from "../overview/part.ts";
import type { Attachment, Frame } from "../reports/types.ts";
import { wordsOf } from "./delivery-words.ts";
import { marksOf } from "./envelope/marks.ts";
import { pieces } from "./found.ts";
import { framesByOwner, placeOf } from "./frames.ts";
import { before, categoriesOf } from "./trail.ts";
import { nameOf, stateWords, warningWords } from "./words.ts";

const file: Attachment = {
  id: "1",
  index: 0,
  part: "attachment_2",
  filename: "screen.png",
  contentType: "image/png",
  sniffedType: "image/png",
  size: 5,
  sha256: null,
  kind: "screenshot",
  state: "stored",
  view: "image",
  there: true,
};

describe("an attachment", () => {
  test("says what is wrong with it", () => {
    expect(stateWords(file)).toBeUndefined();
    expect(stateWords({ ...file, state: "missing", there: false })).toBe(
      "The envelope lists screen.png, but it did not arrive.",
    );
    expect(stateWords({ ...file, state: "unlisted" })).toBe("attachment_2 arrived without being listed.");
    expect(stateWords({ ...file, state: "differs" })).toBe("Size or digest differs from the envelope.");
    expect(stateWords({ ...file, there: false })).toBe("Expired by retention; name and digest are kept.");
  });

  test("without a name is called by its part", () => {
    expect(nameOf({ ...file, filename: "  " })).toBe("attachment_2");
  });
});

test("a warning names its place once", () => {
  expect(warningWords({ path: "/tags/build", message: "/tags/build is not text." })).toEqual({
    name: "tags.build",
    text: "is not text.",
  });
  expect(warningWords({ path: "/a~1b", message: "Too many." })).toEqual({ name: "a/b:", text: "Too many." });
  expect(warningWords({ path: "", message: "Used before." })).toEqual({ name: "", text: "Used before." });
});

describe("frames", () => {
  const frame = (app: boolean): Frame => ({ function: "f", file: "a.ts", line: 3, column: null, app });

  test("are folded by owner", () => {
    const groups = framesByOwner([frame(true), frame(false), frame(false), frame(true)]);
    expect(groups.map(({ app, frames }) => [app, frames.length])).toEqual([
      [true, 1],
      [false, 2],
      [true, 1],
    ]);
  });

  test("of libraries alone are not all folded", () => {
    expect(framesByOwner([frame(false), frame(false)])).toMatchObject([{ app: true }]);
    expect(framesByOwner([])).toEqual([]);
  });

  test("stand at their place", () => {
    expect(placeOf(frame(true))).toBe("a.ts:3");
    expect(placeOf({ ...frame(true), column: 7 })).toBe("a.ts:3:7");
    expect(placeOf({ ...frame(true), file: null, line: null })).toBe("");
  });
});

test("breadcrumbs are told relative to the report", () => {
  expect([8_200, 40, -400, 125_000].map(before)).toEqual(["−8.2 s", "0", "+0.4 s", "−2 m 5 s"]);
  const item = { at: null, beforeMs: 0, level: null, message: "", data: null };
  const items = ["log", "tap", null, "log"].map((category) => ({ ...item, category }));
  expect(categoriesOf(items)).toEqual([
    { name: "log", count: 2 },
    { name: "tap", count: 1 },
    { name: "other", count: 1 },
  ]);
});

describe("a delivery", () => {
  const now = Date.parse("2026-01-01T00:00:00.000Z");
  const delivery = { id: "d", subscriberId: "s", name: "n", subscriberState: "active", firstPostMs: null };
  const at = "2026-01-01T00:00:00.000Z";

  test("tells where it stands", () => {
    const tries = [{ at, status: 500, ms: 3 }];
    const next = "2026-01-01T00:18:00.000Z";
    const all = [
      { ...delivery, state: "delivered", attempts: 1, tries: [{ at, status: 204, ms: 58 }] },
      { ...delivery, state: "delivered", attempts: 1 },
      { ...delivery, state: "waiting", attempts: 3, nextAttemptAt: next, tries },
      { ...delivery, state: "waiting", attempts: 0, subscriberState: "paused" },
      { ...delivery, state: "dead", attempts: 10, tries: [{ at, error: "timed out", ms: null }] },
    ] as const;
    expect(all.map((one) => wordsOf({ ...one, tries: "tries" in one ? [...one.tries] : [] }, now))).toEqual([
      "204 in 58 ms",
      "delivered",
      "attempt 4 in 18 m, last answer 500",
      "waits: the subscriber is paused",
      "gave up after 10 attempts, last answer timed out",
    ]);
  });
});

test("text is found without regard to case, and signs are no pattern", () => {
  const { parts, count } = pieces("A.b a.B axb", "a.b");
  expect(count).toBe(2);
  expect(parts.filter(({ found }) => found).map(({ text }) => text)).toEqual(["A.b", "a.B"]);
  expect(parts.map(({ text }) => text).join("")).toBe("A.b a.B axb");
  expect(pieces("x".repeat(5_000), "x").count).toBe(1_000);
});

test("members that nobody knows are marked, and those that warn", () => {
  const warnings = [{ path: "/tags/build", code: "wrong_type", message: "No text." }] as const;
  const marks = marksOf({ warnings: [...warnings] }, ["title", "ma/de"]);
  expect([...marks].map(([path, { word }]) => [path, word])).toEqual([
    ["/ma~1de", "unknown"],
    ["/tags/build", "wrong type"],
  ]);
});

test("a share never claims all or nothing where that is wrong", () => {
  expect([null, 0, 0.0004, 0.123, 0.996, 0.9996, 1].map(percent)).toEqual([
    ...["–", "0 %", "< 0.1 %", "12 %", "99.6 %", "> 99.9 %", "100 %"],
  ]);
});
