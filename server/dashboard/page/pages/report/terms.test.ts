import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readQuery } from "../../../../reports/parse-report-query.ts";
import { askingAt, completed, inBar, isFilter, queryOf, termFor, termsOf, withTerm } from "./terms.ts";

describe("what stands in the bar", () => {
  test("filters are pills, the rest is text", () => {
    expect(inBar('level:fatal,error total "not an object" -tag.screen:cart')).toEqual({
      pills: ["level:fatal,error", "-tag.screen:cart"],
      text: 'total "not an object"',
    });
  });

  test("an address is text", () => {
    expect(isFilter("https://example.org")).toBe(false);
    expect(isFilter("foo:bar")).toBe(true);
    expect(isFilter("level:")).toBe(false);
  });

  test("is the same query again, whatever was typed", () => {
    fc.assert(
      fc.property(fc.string(), (typed) => {
        const once = queryOf(inBar(typed));
        expect(queryOf(inBar(once))).toBe(once);
        const terms = (text: string) =>
          termsOf(text)
            .map(({ term }) => term)
            .sort();
        // A quote that is open goes to the end of the text, wherever it stands.
        if ((typed.split('"').length - 1) % 2 === 0) expect(terms(once)).toEqual(terms(typed));
      }),
    );
  });
});

describe("a term for a value", () => {
  test("is read by the server as that name and value", () => {
    for (const value of ["production", "iOS 19.1", "a,b", "4.12.*", "https://example.org/x", "é \u202e x"]) {
      const { terms, problems } = readQuery(termFor("env", value) ?? "");
      expect(problems).toEqual([]);
      expect(terms).toMatchObject([{ kind: "filter", name: "env", values: [{ text: value, open: false }] }]);
    }
  });

  test("with a quote in it asks for what stands before", () => {
    expect(readQuery(termFor("type", 'say "hi"') ?? "").terms).toMatchObject([
      { name: "type", values: [{ text: "say ", open: true }] },
    ]);
  });

  test("is none where no term could say it", () => {
    expect(termFor("tag.two words", "x")).toBeUndefined();
    expect(termFor("tag.a:b", "x")).toBeUndefined();
    expect(termFor("env", " ")).toBeUndefined();
    expect(termFor("env", '"x')).toBeUndefined();
  });

  test("stands in a query once", () => {
    expect(withTerm("level:fatal x", "level:fatal")).toBe("level:fatal x");
    expect(withTerm("x", "level:fatal")).toBe("x level:fatal");
  });
});

describe("what is completed", () => {
  test("is a name before the colon", () => {
    const text = "total lev";
    const asking = askingAt(text, text.length);
    expect(asking).toMatchObject({ name: "", prefix: "lev" });
    expect(completed(text, asking, "level")).toEqual({ text: "total level:", caret: 12 });
    expect(completed("t", askingAt("t", 1), "tag.")).toEqual({ text: "tag.", caret: 4 });
  });

  test("is the last value behind it", () => {
    const text = "-level:fatal,er rest";
    const asking = askingAt(text, 15);
    expect(asking).toMatchObject({ name: "level", prefix: "er" });
    expect(completed(text, asking, "error")).toEqual({ text: "-level:fatal,error rest", caret: 18 });
  });

  test("is quoted when it has blanks", () => {
    expect(completed("env:pro", askingAt("env:pro", 7), "pro tem").text).toBe('env:"pro tem"');
  });
});
