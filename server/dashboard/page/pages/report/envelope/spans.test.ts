import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { computed } from "../../../../../../test/support/in-time.ts";
import { startsOf } from "./raw-lines.ts";
import { canOpen, copiedOf, Lines, membersMax, shownOf } from "./rows.ts";
import { membersOf, type Span, spanAt, stringOf } from "./spans.ts";

function read(text: string, span: Span): unknown {
  if (span.kind === "object") {
    const entries = membersOf(text, span).map((one) => [String(one.key), read(text, one)] as const);
    const object: Record<string, unknown> = Object.create(null);
    for (const [key, value] of entries) object[key] = value;
    return object;
  }
  if (span.kind === "array") return membersOf(text, span).map((one) => read(text, one));
  const given = text.slice(span.start, span.end);
  return span.kind === "string" ? stringOf(given) : JSON.parse(given);
}

describe("spans of a JSON text", () => {
  test("are what the text says, whatever it is", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, "\t"), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        const again = JSON.stringify(read(text, spanAt(text)));
        // A member of this name is none of an object that is read by JSON.parse.
        if (!text.includes("__proto__")) expect(JSON.parse(again)).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  test("keep what parsing would lose: large numbers, and names that stand twice", () => {
    const text = '{"n": 12345678901234567890, "a": 1, "a": 2e400}';
    const members = membersOf(text, spanAt(text));
    expect(members.map(({ key }) => key)).toEqual(["n", "a", "a"]);
    expect(members.map((one) => shownOf(text, one).value)).toEqual(["12345678901234567890", "1", "2e400"]);
  });

  test("of text with quotes, backslashes and brackets end where they end", () => {
    const text = String.raw`{"a\"]": "}\\", "b": ["[\"", {}], "c": null}`;
    const members = membersOf(text, spanAt(text));
    expect(members.map(({ key, kind }) => [key, kind])).toEqual([
      ['a"]', "string"],
      ["b", "array"],
      ["c", "word"],
    ]);
    expect(copiedOf(text, members[0] as Span)).toBe("}\\");
  });

  test("of 200,000 open brackets need no stack", () => {
    const text = `{"a": ${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
    expect(membersOf(text, spanAt(text))[0]).toMatchObject({ kind: "array", end: text.length - 1 });
  });

  test("of 5 MB are found in less than a second", () => {
    const text = JSON.stringify({ rows: Array.from({ length: 60_000 }, (_, i) => ({ i, text: "x".repeat(60) })) });
    expect(text.length).toBeGreaterThan(4_500_000);
    const before = computed();
    const lines = new Lines(text);
    expect(lines.of(spanAt(text), new Set()).length).toBe(1);
    expect(lines.of(spanAt(text), new Set(["/rows"])).length).toBe(membersMax + 1);
    expect(computed() - before).toBeLessThan(1_000);
  });
});

describe("lines of the tree", () => {
  const text = '{"tags": {"a/b": "x", "~": [true, {"deep": 1}]}, "none": {}}';

  test("are those of what is open", () => {
    const lines = new Lines(text);
    const paths = (open: string[]) => lines.of(spanAt(text), new Set(open)).map(({ path }) => path);
    expect(paths([])).toEqual(["/tags", "/none"]);
    expect(paths(["/tags", "/tags/~0"])).toEqual([
      "/tags",
      "/tags/a~1b",
      "/tags/~0",
      "/tags/~0/0",
      "/tags/~0/1",
      "/none",
    ]);
    // What is open within what is closed waits.
    expect(paths(["/tags/~0"])).toEqual(["/tags", "/none"]);
  });

  test("know their place, and how many they hold", () => {
    const lines = new Lines(text);
    const [tags, first] = lines.of(spanAt(text), new Set(["/tags"]));
    expect(tags && lines.countOf(tags)).toBe(2);
    expect(first).toMatchObject({ depth: 2, index: 1, of: 2, open: false });
    expect(lines.of(spanAt(text), new Set()).map(canOpen)).toEqual([true, false]);
  });
});

test("raw text is broken where a line is too long, and not within a character", () => {
  const text = `${"x".repeat(159)}😀${"y".repeat(300)}\nshort\n`;
  const starts = startsOf(text);
  const pieces = starts.map((start, i) => text.slice(start, starts[i + 1]));
  expect(pieces.join("")).toBe(text);
  expect(pieces[0]).toEndWith("😀");
  expect(pieces.at(-1)).toBe("short\n");
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(162);
});
