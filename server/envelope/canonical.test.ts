import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { canonicalDigest } from "./canonical.ts";

function digestOf(envelope: unknown): string {
  return digestOfText(JSON.stringify(envelope));
}

function digestOfText(text: string): string {
  return canonicalDigest(Buffer.from(text)).toHex();
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const volatile = ["sentAt", "dropped", "clientReport", "attachments"] as const;

const member = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 8 }) },
  fc.constantFrom(...volatile, "reportId", "__proto__", "constructor", "toJSON", "length", "0", "10", "9", "-1", ""),
);
const { value } = fc.letrec<{ value: Json; list: Json[]; object: { [name: string]: Json } }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      fc.double({ noNaN: true, min: -(2 ** 53), max: 2 ** 53, minExcluded: true, maxExcluded: true }),
      fc.string({ unit: "binary", maxLength: 6 }),
    ),
    tie("list"),
    tie("object"),
  ),
  list: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.dictionary(member, tie("value"), { maxKeys: 5, noNullPrototype: false }),
}));
const envelope = fc.array(fc.tuple(member, value), { maxLength: 6 }).map((members) => fromMembers(members));

/** Parsed with JSON.parse, for which `__proto__` is an ordinary member. */
function fromMembers(members: [string, Json][]): { [name: string]: Json } {
  const object: { [name: string]: Json } = {};
  for (const [name, value] of members) {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}

/** The same value as text, with the members of every object rotated by this many places. */
function written(value: Json, turn: number): string {
  if (Array.isArray(value)) return `[${value.map((one) => written(one, turn)).join(" , ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)} : ${written(one, turn + 1)}`);
  const at = members.length === 0 ? 0 : turn % members.length;
  const turned = [...members.slice(at), ...members.slice(0, at)];
  if (turn % 2 === 1) turned.reverse();
  return `{${turned.join(",\n")}}`;
}

test("the order of members, at any depth, blanks and packing make no difference", () => {
  fc.assert(
    fc.property(envelope, fc.nat(20), (given, turn) => {
      const digest = digestOf(given);
      const other = written(given, turn);
      expect(digestOfText(other)).toBe(digest);
      expect(digestOfText(`\ufeff\r\n${other} `)).toBe(digest);
      expect(canonicalDigest(gzipSync(other)).toHex()).toBe(digest);
    }),
    { numRuns: 500 },
  );
});

test("members that change from sending to sending make none, at the top", () => {
  fc.assert(
    fc.property(envelope, fc.subarray([...volatile]), value, (given, names, replaced) => {
      const without = fromMembers(Object.entries(given).filter(([name]) => !(names as string[]).includes(name)));
      const other = fromMembers([...Object.entries(given), ...names.map((name): [string, Json] => [name, replaced])]);
      expect(digestOf(without)).toBe(digestOf(given));
      expect(digestOf(other)).toBe(digestOf(given));
    }),
    { numRuns: 300 },
  );
});

test("nor does the case of the report id, and of nothing else", () => {
  const reportId = "0b9f6d5a-1c2d-4e3f-8a9b-aabbccddeeff";
  const digest = digestOf({ reportId, title: "a" });
  expect(digestOf({ reportId: reportId.toUpperCase(), title: "a" })).toBe(digest);
  expect(digestOf({ reportId, title: "A" })).not.toBe(digest);
  const deeper = (id: string) => digestOf({ contexts: { reportId: id } });
  expect(deeper(reportId)).not.toBe(deeper(reportId.toUpperCase()));
});

test.each([
  ["another value", { a: "x" }, { a: "y" }],
  ["another type", { a: 1 }, { a: "1" }],
  ["true and 1", { a: true }, { a: 1 }],
  ["false and null", { a: false }, { a: null }],
  ["null and absence", { a: null }, {}],
  ["null and text", { a: null }, { a: "null" }],
  ["0 and null", { a: 0 }, { a: null }],
  ["an empty list and an empty object", { a: [] }, { a: {} }],
  ["an empty list and absence", { a: [] }, {}],
  ["empty text and absence", { a: "" }, {}],
  ["the order of a list", { a: [1, 2] }, { a: [2, 1] }],
  ["the length of a list", { a: [1] }, { a: [1, 1] }],
  ["a list with null", { a: [] }, { a: [null] }],
  ["a list and an object of the same members", { a: ["x"] }, { a: { 0: "x" } }],
  ["the name of a member", { a: 1 }, { b: 1 }],
  ["the case of a name", { a: 1 }, { A: 1 }],
  ["a member at another depth", { a: { b: 1 } }, { a: {}, b: 1 }],
  ["sentAt deeper", { sdk: { sentAt: "a" } }, { sdk: { sentAt: "b" } }],
  ["dropped deeper", { sdk: { dropped: [] } }, { sdk: {} }],
  ["attachments in a list", { a: [{ attachments: 1 }] }, { a: [{ attachments: 2 }] }],
  ["names that are only like sentAt", { sentat: 1 }, { sentat: 2 }],
  ["precomposed and combined letters", { a: "\u00e9" }, { a: "e\u0301" }],
  ["half of a surrogate pair and what stands for it", { a: "\ud800" }, { a: "\ufffd" }],
  ["two halves of surrogate pairs", { a: "\ud800" }, { a: "\udbff" }],
  ["numbers that differ in the last digit", { a: 0.1 }, { a: 0.10000000000000002 }],
  ["the sign of a number", { a: 1 }, { a: -1 }],
  ["quotes that would end the text", { a: '","b":"' }, { a: "", b: "" }],
])("it is another envelope with %s", (_, one, other) => {
  expect(digestOf(one)).not.toBe(digestOf(other));
});

test("it is another envelope with __proto__, like with any member", () => {
  expect(digestOfText('{"__proto__":{"a":1}}')).not.toBe(digestOfText("{}"));
  expect(digestOfText('{"__proto__":{"a":1}}')).not.toBe(digestOfText('{"__proto__":{"a":2}}'));
  expect(digestOfText('{"a":{"__proto__":1}}')).not.toBe(digestOfText('{"a":{}}'));
  expect(digestOfText('{"__proto__":null,"a":1}')).not.toBe(digestOfText('{"a":1}'));
});

test("numbers are compared by what they are, not by how they are written", () => {
  const one = digestOfText('{"a":1}');
  for (const text of ["1.0", "1e0", "10e-1", "1.000"]) expect(digestOfText(`{"a":${text}}`)).toBe(one);
});

test("a number beyond every other is not null", () => {
  const [great, small, nothing] = ['{"a":1e999}', '{"a":-1e999}', '{"a":null}'].map(digestOfText);
  expect(great).not.toBe(nothing as string);
  expect(great).not.toBe(small as string);
});

test("integers that are one number once they are parsed are not the same report", () => {
  const [one, other] = ["9007199254740993", "9007199254740992"].map((text) => digestOfText(`{"order":${text}}`));
  expect(one).not.toBe(other as string);
  expect(digestOfText(`{"order":9007199254740991,"a":1}`)).toBe(digestOfText(`{"a":1,"order":9007199254740991}`));
});

test("two envelopes share a digest exactly when they are equal", () => {
  const comparable = (given: { [name: string]: Json }) =>
    fromMembers(
      Object.entries(given)
        .filter(([name]) => !(volatile as readonly string[]).includes(name))
        .map(([name, one]) => [name, name === "reportId" && typeof one === "string" ? one.toLowerCase() : one]),
    );
  fc.assert(
    fc.property(envelope, envelope, (one, other) => {
      const [a, b] = [JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))];
      expect(digestOf(a) === digestOf(b)).toBe(equal(comparable(a), comparable(b)));
    }),
    { numRuns: 1_000 },
  );
});

/** Compared as text, because `Bun.deepEquals` ignores `__proto__`. */
function equal(one: Json, other: Json): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [members, others] = [Object.entries(one), new Map(Object.entries(other))];
  return (
    members.length === others.size &&
    members.every(([name, value]) => others.has(name) && equal(value, others.get(name) as Json))
  );
}

test("one changed leaf anywhere makes another digest", () => {
  const leaf = fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string({ maxLength: 3 }));
  const path = fc.array(fc.oneof(fc.nat(3), fc.string({ minLength: 1, maxLength: 3 })), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(path, leaf, leaf, (steps, one, other) => {
      const around = (value: Json): Json =>
        steps.reduceRight<Json>(
          (inner, step) => (typeof step === "number" ? [...Array(step).fill(0), inner] : fromMembers([[step, inner]])),
          value,
        );
      expect(digestOf({ contexts: around(one) }) === digestOf({ contexts: around(other) })).toBe(one === other);
    }),
  );
});

test("nesting of any depth is digested; one too deep to be sorted is taken by its bytes", () => {
  const nested = (depth: number, first: string, second: string) =>
    `{"contexts":${"[".repeat(depth)}{${first},${second}}${"]".repeat(depth)}}`;
  const [a, b] = ['"a":1', '"b":2'];
  expect(digestOfText(nested(200, a, b))).toBe(digestOfText(nested(200, b, a)));
  for (const depth of [254, 255, 256, 257, 258, 1_000, 500_000]) {
    expect(digestOfText(nested(depth, a, b))).toBe(digestOfText(nested(depth, a, b)));
    expect(digestOfText(nested(depth, a, b))).not.toBe(digestOfText(nested(depth, a, '"b":3')));
    expect(digestOfText(nested(depth, a, b))).not.toBe(digestOfText(nested(depth + 1, a, b)));
  }
  const deep = nested(1_000, a, b);
  expect(canonicalDigest(gzipSync(deep)).toHex()).toBe(digestOfText(deep));
});
