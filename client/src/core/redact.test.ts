import { expect, test } from "bun:test";
import fc from "fast-check";
import { newCredential } from "../../../server/core/credential.ts";
import { reasonOf, redact } from "./redact.ts";

const credential = fc.constantFrom("itk_", "isk_").map((prefix) => newCredential(prefix));

test("no credential outlives it, whatever stands around", () => {
  fc.assert(
    fc.property(fc.string(), credential, fc.string(), (before, secret, after) => {
      const said = redact(before + secret + after);
      expect(said).not.toContain(secret);
      expect(said).not.toContain(secret.slice(4));
    }),
  );
});

test("another's credential goes too, and so does one that has been cut", () => {
  fc.assert(
    fc.property(credential, fc.integer({ min: 6, max: 40 }), (secret, length) => {
      expect(redact(`Bearer ${secret.slice(0, length)}`)).toBe("Bearer [credential]");
    }),
  );
});

test("a text without a credential stays as it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      fc.pre(!/i[st]k_\w/.test(text));
      expect(redact(text)).toBe(text);
    }),
  );
});

test("an error tells its causes, without credentials", () => {
  const secret = newCredential("isk_");
  const refused = Object.assign(new Error(""), { code: "ECONNREFUSED" });
  const failed = new Error(`fetch failed with ${secret}`, { cause: new Error("socket", { cause: refused }) });
  expect(reasonOf(failed)).toBe("fetch failed with [credential]: socket: ECONNREFUSED");
  expect(reasonOf(new Error("a", { cause: `Bearer ${secret}` }))).toBe("a: Bearer [credential]");
});

const nested = new Error("outer");
nested.cause = nested;
const thrown: Record<string, unknown> = {
  undefined,
  null: null,
  "a number": 7,
  "a text": "text",
  "a symbol": Symbol("why"),
  "an object": { message: "said" },
  "an object without a prototype": Object.create(null),
  "an error whose cause is itself": nested,
  "an error whose message cannot be read": {
    get message(): string {
      throw new Error("getter");
    },
  },
  "an error whose message is a symbol": { message: Symbol("why") },
};
test.each(Object.entries(thrown))("whatever was thrown has a reason: %s", (_, error) => {
  expect(reasonOf(error)).toBeString();
});
