import { expect, test } from "bun:test";
import fc from "fast-check";
import { Sealing } from "./sealing.ts";

const keyOf = (byte: number) => new Uint8Array(32).fill(byte);
const sealing = new Sealing(keyOf(1));
const texts = fc.string({ unit: "binary" });

test("what is sealed opens again, with the same key and for the same place only", () => {
  fc.assert(
    fc.property(texts, texts, texts, (text, place, elsewhere) => {
      const sealed = sealing.seal(text, place);
      expect(new Sealing(keyOf(1)).open(sealed, place)).toBe(text);
      expect(() => new Sealing(keyOf(2)).open(sealed, place)).toThrow();
      if (elsewhere !== place) expect(() => sealing.open(sealed, elsewhere)).toThrow();
    }),
  );
});

test("with any bit of it turned, or cut anywhere, it does not open", () => {
  const sealed = sealing.seal("whsec_secret", "place");
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const tampered = sealed.slice();
    tampered[bit >> 3] = (tampered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(() => sealing.open(tampered, "place")).toThrow();
  }
  for (let length = 0; length < sealed.length; length++) {
    expect(() => sealing.open(sealed.slice(0, length), "place")).toThrow();
  }
});

test("the same text is sealed differently each time, and is not to be seen in it", () => {
  const [one, other] = [sealing.seal("whsec_secret", "place"), sealing.seal("whsec_secret", "place")];
  expect(one).not.toEqual(other);
  expect(Buffer.from(one).toString("latin1")).not.toContain("secret");
});

test("a fingerprint and codes of links are this key's, and tell nothing of each other", () => {
  const [same, other] = [new Sealing(keyOf(1)), new Sealing(keyOf(2))];
  expect(same.fingerprint).toBe(sealing.fingerprint);
  expect(other.fingerprint).not.toBe(sealing.fingerprint);
  expect(same.linkCode("a")).toBe(sealing.linkCode("a"));
  const codes = [sealing.linkCode("a"), sealing.linkCode("b"), other.linkCode("a"), sealing.fingerprint.slice(0, 32)];
  expect(new Set(codes).size).toBe(4);
  for (const code of codes.slice(0, 3)) expect(code).toMatch(/^[\w-]{32}$/);
  expect(sealing.fingerprint).not.toContain(Buffer.from(keyOf(1)).toString("hex").slice(0, 8));
});
