import { expect, test } from "bun:test";
import fc from "fast-check";
import { IntakeError } from "./errors.ts";
import { toJson } from "./json.ts";

test("an object is written as JSON writes it", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      expect(JSON.parse(toJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
  expect(JSON.parse(toJson({ at: new Date(0), left: undefined }))).toEqual({ at: "1970-01-01T00:00:00.000Z" });
});

const cycle: Record<string, unknown> = {};
cycle["self"] = cycle;
const wrong: Record<string, unknown> = {
  undefined,
  null: null,
  "a text": "text",
  "a number": 5,
  "an array": [{}],
  "a function": () => ({}),
  "a symbol": Symbol("report"),
  "a BigInt": { count: 1n },
  "a cycle": cycle,
  "a getter that throws": {
    get title(): string {
      throw new Error("getter");
    },
  },
  "a toJSON that throws": {
    toJSON() {
      throw new Error("toJSON");
    },
  },
  "a toJSON that throws no error": {
    toJSON() {
      throw undefined;
    },
  },
  "a toJSON that makes a text of it": { toJSON: () => "text" },
  "a revoked proxy": revoked(),
};
test.each(Object.entries(wrong))("%s is an IntakeError", (_, value) => {
  expect(() => toJson(value)).toThrow(IntakeError);
});

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
