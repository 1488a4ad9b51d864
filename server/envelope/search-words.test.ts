import { expect, test } from "bun:test";
import fc from "fast-check";
import { decodeEnvelope } from "./decode-envelope.ts";
import { readWords } from "./report-contents.ts";

const bytesOf = (json: string) => Buffer.from(json);

test("the words that are read while a report is received are those that are read of its stored envelope", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("", "x".repeat(2_100), "😀".repeat(1_001)));
  const value = fc.oneof(text, fc.jsonValue(), fc.array(fc.jsonValue(), { maxLength: 2 }));
  const members = fc.record({ message: value, dropped: value, title: fc.jsonValue() }, { requiredKeys: [] });
  fc.assert(
    fc.property(members, fc.constantFrom(0, 1), (envelope, indent) => {
      const bytes = bytesOf(JSON.stringify(envelope, null, indent));
      expect(decodeEnvelope(bytes)).toMatchObject({ kind: "object", words: readWords(bytes) });
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ["of a repeated member the last one", '{"message":"a","dropped":[1],"message":"b","dropped":[]}', "b", false],
  ["half a character", '{"message":"\\ud800"}', "\ufffd", false],
  ["a message that is no text, and a list with nothing but null", '{"message":{"a":1},"dropped":[null]}', "", true],
])("%s", (_, json, message, dropped) => {
  expect(readWords(bytesOf(json))).toEqual({ message, dropped });
  expect(decodeEnvelope(bytesOf(json))).toMatchObject({ words: { message, dropped } });
});
