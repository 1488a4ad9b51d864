import { expect, test } from "bun:test";
import fc from "fast-check";
import { topMembers } from "./top-members.ts";

const names = ["message", "dropped", "", 'quo"te', "__proto__"];

test("what it finds is what JSON.parse finds", () => {
  const name = fc.oneof(fc.constantFrom(...names), fc.string());
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.jsonValue())), fc.constantFrom(0, 2, "\t"), (members, space) => {
      const inner = members.map(([one, value]) => `${JSON.stringify(one)} :${JSON.stringify(value, null, space)}`);
      const json = ` {${inner.join(" ,\n")}} `;
      const expected = new Map<string, unknown>();
      for (const [one, value] of members) if (names.includes(one)) expected.set(one, JSON.parse(JSON.stringify(value)));
      const found = [...topMembers(json, names)].map(([one, text]) => [one, JSON.parse(text)] as const);
      expect(new Map(found)).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});

test("an escaped name, strings that look like structure, a last member that counts", () => {
  const json = '{"m\\u0065ssage":"first","a":{"message":"inner"},"b":"\\\\\\",{[","message" : "la\\"st\\\\" }';
  expect(topMembers(json, ["message"])).toEqual(new Map([["message", '"la\\"st\\\\"']]));
  expect(topMembers("{}", ["message"]).size).toBe(0);
});
