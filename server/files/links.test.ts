import { expect, test } from "bun:test";
import fc from "fast-check";
import { Sealing } from "../core/sealing.ts";
import { type Linked, Links } from "./links.ts";

const links = new Links(new Sealing(new Uint8Array(32).fill(1)));
const what: fc.Arbitrary<Linked> = fc.oneof(fc.nat(9), fc.constant("envelope" as const));
const codeOf = (path: string) => path.split("/").at(-1) ?? "";

test("a link is valid for what it was made for, and for nothing else", () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), what, what, (event, otherEvent, one, other) => {
      const path = links.pathOf(event, one);
      expect(path).toMatch(new RegExp(`^/files/${event}/${one}/[\\w-]{32}$`));
      expect(links.isValid(event, one, codeOf(path))).toBe(true);
      expect(links.isValid(otherEvent, one, codeOf(path))).toBe(otherEvent === event);
      expect(links.isValid(event, other, codeOf(path))).toBe(other === one);
    }),
  );
});

test("a code of any other text or length is not valid, and no error", () => {
  const [event] = fc.sample(fc.uuid(), 1) as [string];
  const code = codeOf(links.pathOf(event, 0));
  const wrong = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "binary", minLength: 32, maxLength: 32 }),
    fc.constantFrom(code.slice(1), `${code}=`, code.toUpperCase(), `${code.slice(0, -1)}é`, code.repeat(2)),
  );
  fc.assert(fc.property(wrong, (text) => expect(links.isValid(event, 0, text)).toBe(text === code)));
});

test("with another key it is not valid", () => {
  const other = new Links(new Sealing(new Uint8Array(32).fill(2)));
  expect(links.isValid("event", 0, codeOf(other.pathOf("event", 0)))).toBe(false);
});
