import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { computed } from "../../test/support/in-time.ts";
import { readContents, readWords } from "./report-contents.ts";

const read = (envelope: unknown) => readContents(Buffer.from(JSON.stringify(envelope)));

test("an empty envelope has no contents", () => {
  expect(read({})).toEqual({
    message: null,
    exceptions: [],
    breadcrumbs: { items: [], total: 0 },
    groups: [],
    dropped: [],
  });
});

test("the frames of a stack, those of libraries told apart", () => {
  const stack = [
    "TypeError: total is undefined",
    "    at pay (https://shop.example/checkout.js:41:7)",
    "    at async run (/app/node_modules/left/index.js:1:2)",
    "    at /app/main.js:3:4",
  ].join("\n");
  const [exception] = read({ exception: { type: "TypeError", message: "total is undefined", stack } }).exceptions;
  expect(exception).toEqual({
    type: "TypeError",
    message: "total is undefined",
    frames: [
      { function: "pay", file: "https://shop.example/checkout.js", line: 41, column: 7, app: true },
      { function: "run", file: "/app/node_modules/left/index.js", line: 1, column: 2, app: false },
      { function: null, file: "/app/main.js", line: 3, column: 4, app: true },
    ],
    framesLeftOut: 0,
    text: null,
  });
});

test.each([
  ["at pay (checkout.js:41:7)", { function: "pay", file: "checkout.js", line: 41, column: 7 }],
  ["pay@http://localhost/a.js:1:2", { function: "pay", file: "http://localhost/a.js", line: 1, column: 2 }],
  ["at com.shop.Cart.total(Cart.kt:12)", { function: "com.shop.Cart.total", file: "Cart.kt", line: 12, column: null }],
  ["at Shop.Cart.Total() in /src/Cart.cs:line 12", { function: "Shop.Cart.Total()", file: "/src/Cart.cs", line: 12 }],
  ['  File "shop/cart.py", line 12, in total', { function: "total", file: "shop/cart.py", line: 12, column: null }],
])("%s", (stack, frame) => {
  expect(read({ exception: { stack } }).exceptions[0]?.frames).toMatchObject([frame]);
});

test("a stack that nothing is made of stays text", () => {
  const [exception] = read({ exception: { type: "Crash", stack: "0x1 0x2" } }).exceptions;
  expect(exception).toMatchObject({ type: "Crash", frames: [], text: "0x1 0x2" });
});

test("a chain of causes, and the lists of other SDKs", () => {
  const chain = read({ exception: { type: "A", cause: { type: "B", cause: { message: "c" } } } }).exceptions;
  expect(chain.map(({ type, message }) => type ?? message)).toEqual(["A", "B", "c"]);
  const listing = { type: "A", value: "a", causes: [{ type: "B", stack: "at b (b.js:1:2)" }, { value: "c" }, 5] };
  const flat = read({ exception: listing }).exceptions;
  expect(flat.map(({ type, message, frames }) => [type ?? message, frames.length])).toEqual([
    ["A", 0],
    ["B", 1],
    ["c", 0],
  ]);
  const many = { type: "A", causes: Array.from({ length: 1_000 }, () => ({ type: "B" })) };
  expect(read({ exception: many }).exceptions).toHaveLength(10);
  const frames = [
    { function: "outer", lineno: 1 },
    { function: "inner", filename: "a.js", lineno: 2, in_app: true },
  ];
  const listed = read({
    exception: { values: [{ type: "Cause" }, { type: "Top", stacktrace: { frames } }] },
  }).exceptions;
  expect(listed.map(({ type }) => type)).toEqual(["Top", "Cause"]);
  expect(listed[0]?.frames.map((frame) => frame.function)).toEqual(["inner", "outer"]);
});

test("breadcrumbs are the last hundred, relative to the report", () => {
  const crumbs = Array.from({ length: 120 }, (_, i) => ({
    at: new Date(Date.parse("2026-01-01T00:00:00Z") + i * 1_000).toISOString(),
    category: "tap",
    message: `${i}`,
  }));
  const { items, total } = read({ occurredAt: "2026-01-01T00:02:00.500Z", breadcrumbs: crumbs }).breadcrumbs;
  expect(total).toBe(120);
  expect(items).toHaveLength(100);
  expect(items.at(-1)).toEqual({
    at: "2026-01-01T00:01:59.000Z",
    beforeMs: 1_500,
    category: "tap",
    level: null,
    message: "119",
    data: null,
  });
});

test("groups are flat: device, os and each context by itself", () => {
  const { groups } = read({
    device: { model: "P", screen: { width: 1 } },
    contexts: { cart: { items: 3 }, flag: true },
  });
  expect(groups).toEqual([
    {
      name: "device",
      entries: [
        { name: "model", value: "P" },
        { name: "screen.width", value: "1" },
      ],
    },
    { name: "contexts.cart", entries: [{ name: "items", value: "3" }] },
    { name: "contexts.flag", entries: [{ name: "flag", value: "true" }] },
  ]);
});

test("a time that is an object with a toString of its own is none", () => {
  const crumbs = [{ at: { toString: false }, message: "opened" }];
  const { items } = read({ occurredAt: { toString: false }, breadcrumbs: crumbs }).breadcrumbs;
  expect(items).toMatchObject([{ at: null, beforeMs: null, message: "opened" }]);
});

describe("whatever an envelope holds", () => {
  test("it is read, within bounds", () => {
    const loose = fc.object({
      key: fc.constantFrom("stack", "frames", "values", "at", "cause", "message", "a"),
      maxDepth: 4,
    });
    fc.assert(
      fc.property(
        fc.record({
          exception: fc.jsonValue(),
          breadcrumbs: fc.jsonValue(),
          contexts: fc.jsonValue(),
          dropped: fc.jsonValue(),
          device: loose,
          user: fc.jsonValue(),
          message: fc.jsonValue(),
          occurredAt: fc.jsonValue(),
        }),
        (envelope) => {
          read(envelope);
          readWords(Buffer.from(JSON.stringify(envelope)));
        },
      ),
      { numRuns: 500 },
    );
  });

  test("five megabytes of it are not more on the page than some hundred kilobytes, soon", () => {
    const long = "x".repeat(16_000);
    const deep = { stack: `at ${"a".repeat(1_000)}(`.repeat(50), frames: undefined };
    const crumbs = Array.from({ length: 90 }, () => ({ message: long, data: { a: [long, { b: long }] } }));
    const started = computed();
    const contents = read({
      exception: deep,
      breadcrumbs: crumbs,
      contexts: { big: { long, list: [long] } },
      message: long,
    });
    expect(computed() - started).toBeLessThan(1_000);
    expect(JSON.stringify(contents).length).toBeLessThan(400_000);
  });
});
