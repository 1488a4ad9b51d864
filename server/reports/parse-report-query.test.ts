import { expect, test } from "bun:test";
import fc from "fast-check";
import { readQuery } from "./parse-report-query.ts";

const terms = (typed: string) =>
  readQuery(typed).terms.map((term) =>
    term.kind === "text"
      ? [term.not ? "not text" : "text", term.text]
      : [
          `${term.not ? "not " : ""}${term.name}${term.tag ?? ""}`,
          ...term.values.map(({ text, open }) => text + (open ? "…" : "")),
        ],
  );

test("filters, values and text", () => {
  expect(terms('level:fatal,ERROR -env:staging release:4.12.* tag.Screen:"a, b",c total')).toEqual([
    ["level", "fatal", "error"],
    ["not env", "staging"],
    ["release", "4.12.…"],
    ["tagScreen", "a, b", "c"],
    ["text", "total"],
  ]);
});

test("quotes hold together, also when they are never closed", () => {
  expect(terms('"out of memory" type:"a b')).toEqual([
    ["text", "out of memory"],
    ["type", "a b"],
  ]);
});

test("an address and an error's name are text", () => {
  expect(terms("https://example.org/a TypeError: -cart")).toEqual([
    ["text", "https://example.org/a"],
    ["text", "TypeError:"],
    ["not text", "cart"],
  ]);
});

test.each([
  ["level:worst", "level: takes fatal, error, warning, info or debug."],
  ["level:fat*", "level: takes fatal, error, warning, info or debug."],
  ["has:", "Say which, for example has:attachment."],
  ["foo:bar", "There is no filter foo. Put it in quotes to look for it as text."],
  ["a", "Type at least 2 letters or digits."],
  ["-", "Type at least 2 letters or digits."],
  ["tag.:x", "Name the tag, for example tag.screen:checkout."],
])("%s is a problem: %s", (typed, message) => {
  expect(readQuery(`type:crash ${typed}`)).toMatchObject({
    terms: [{ name: "type" }],
    problems: [{ term: typed, at: 11, length: typed.length, message }],
  });
});

test("however much is typed, little is looked for", () => {
  const { terms, problems } = readQuery("ab ".repeat(1_000));
  expect(terms).toHaveLength(30);
  expect(problems.at(-1)).toMatchObject({ at: 1_000, length: 2_000 });
});

test("whatever is typed, it is read, and every term stands where it says", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "level:",
      "tag.",
      "has:",
      "-",
      '"',
      ",",
      "*",
      ":",
      " ",
      "fatal",
      "release:4.",
      "AND",
      "NOT",
      "(",
      "'",
    ),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const typed = pieces.join("");
      const { terms, problems } = readQuery(typed);
      const sources = [...terms.map(({ source }) => source), ...problems.filter(({ at }) => at < 1_000)];
      for (const { term, at, length } of sources) expect(typed.slice(at, at + length)).toBe(term);
    }),
    { numRuns: 2_000 },
  );
});
