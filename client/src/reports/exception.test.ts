import { describe, expect, test } from "bun:test";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { copyReport } from "./copy-report.ts";
import { exceptionOf } from "./exception.ts";

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value)).length;

describe("an error", () => {
  test("has its name, message and stack", () => {
    const error = new TypeError("total is undefined");
    expect(exceptionOf(error)).toEqual({ type: "TypeError", value: "total is undefined", stack: error.stack });
  });

  test("of another realm, and one of the platform, is an error too", () => {
    expect(exceptionOf(runInNewContext('new RangeError("far")'))).toMatchObject({ type: "RangeError", value: "far" });
    expect(exceptionOf(new DOMException("gone", "AbortError"))).toMatchObject({ type: "AbortError", value: "gone" });
  });

  test("keeps its own members to itself: they may be a request with its credentials", () => {
    const error = Object.assign(new Error("refused"), { config: { headers: { authorization: "s3cr3t" } } });
    expect(JSON.stringify(copyReport(error))).not.toContain("s3cr3t");
  });
});

describe("causes", () => {
  test("are the cause, its cause and what an AggregateError holds, the nearest first", () => {
    const root = new Error("disk", { cause: "a thrown text" });
    const errors = [new RangeError("one"), { code: 7 }];
    const { causes } = exceptionOf(new AggregateError(errors, "all failed", { cause: root }));
    expect(causes?.map(({ type, value }) => [type, value])).toEqual([
      ["Error", "disk"],
      ["RangeError", "one"],
      [undefined, '{"code":7}'],
      [undefined, "a thrown text"],
    ]);
  });

  test("are five at most, and each once, though they go in a circle", () => {
    const circle = new Error("a");
    circle.cause = new Error("b", { cause: circle });
    expect(exceptionOf(circle).causes).toHaveLength(1);
    let chain = new Error("0");
    for (let depth = 1; depth < 1_000; depth++) chain = new Error(`${depth}`, { cause: chain });
    expect(exceptionOf(chain).causes?.map(({ value }) => value)).toEqual(["998", "997", "996", "995", "994"]);
    const many = new AggregateError(Array.from({ length: 100_000 }, (_, index) => new Error(`${index}`)));
    expect(exceptionOf(many).causes).toHaveLength(5);
  });
});

test("whatever an error holds, it has at most 64 kB of JSON", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 50 }),
    fc.constantFrom("\ud800", "\u0001", "€", "😀", "x", '"').map((one) => one.repeat(20_000)),
  );
  fc.assert(
    fc.property(fc.array(fc.record({ name: text, message: text, stack: text }), { maxLength: 9 }), (all) => {
      const errors = all.map((members) => Object.assign(new Error(), members));
      expect(bytes(exceptionOf(new AggregateError(errors, "x".repeat(100_000))))).toBeLessThan(64_000);
    }),
    { numRuns: 20 },
  );
});

test("a long message leaves the frames in the stack", () => {
  const { stack } = exceptionOf(new Error("x".repeat(100_000)));
  expect(stack).toContain("exception.test.ts");
});

test("members that throw or are of any type cost nothing but themselves", () => {
  const hostile = new Error("kept");
  for (const name of ["stack", "cause", "errors"]) {
    Object.defineProperty(hostile, name, {
      get() {
        throw new Error("no");
      },
    });
  }
  Object.assign(hostile, { name: Symbol("odd"), toJSON: () => hostile["cause"] });
  expect(exceptionOf(hostile)).toMatchObject({ type: "Symbol(odd)", value: "kept" });
  expect(copyReport(hostile)["exception"]).toMatchObject({ value: "kept" });
  expect(copyReport({ exception: hostile }).title).toBe("Symbol(odd): kept");
  const odd = Object.assign(new Error(), { message: { a: 1 }, stack: 5, errors: "no list", cause: null });
  expect(exceptionOf(odd)).toEqual({ type: "Error", value: '{"a":1}', stack: "5" });
});

test("of many causes no more are read than are told", () => {
  const errors = Array.from({ length: 1_000 }, (_, i) => new Error(String(i)));
  Object.defineProperty(errors, 20, {
    get() {
      throw new Error("read too far");
    },
  });
  const all = Object.assign(new Error("all failed"), { errors });
  expect(exceptionOf(all)).toMatchObject({
    value: "all failed",
    causes: ["0", "1", "2", "3", "4"].map((value) => ({ value })),
  });
});

describe("a report", () => {
  test("of an error has a type, a level and a title", () => {
    const { exception, ...report } = copyReport(new TypeError("total is undefined"));
    expect(report).toEqual({ type: "error", level: "error", title: "TypeError: total is undefined" });
    expect(exception).toMatchObject({ type: "TypeError" });
  });

  test("with an error says the rest itself", () => {
    const report = copyReport({ exception: new Error("no"), level: "fatal", tags: { page: "cart" } });
    expect(report).toMatchObject({ type: "error", level: "fatal", title: "Error: no", tags: { page: "cart" } });
    expect(copyReport({ exception: "a thrown text" })).toEqual({
      type: "error",
      level: "error",
      title: "a thrown text",
      exception: { value: "a thrown text" },
    });
  });

  test("describes errors wherever they are, and leaves what is no error as it is", () => {
    const given = {
      contexts: { last: [new Error("deep")] },
      exception: { stack: "at a (b.js:1:2)" },
      date: new Date(0),
    };
    expect(copyReport(given)).toEqual({
      contexts: { last: [{ type: "Error", value: "deep", stack: expect.any(String) }] },
      exception: { stack: "at a (b.js:1:2)" },
      date: "1970-01-01T00:00:00.000Z",
    });
  });
});
