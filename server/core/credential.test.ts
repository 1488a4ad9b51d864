import { expect, test } from "bun:test";
import { credentialKindOf, fingerprintOf, hashOf, hideCredentials, newCredential } from "./credential.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

test("prefix, 30 random characters, and their CRC-32 in 6", () => {
  for (let i = 0; i < 200; i++) {
    const credential = newCredential("itk_");
    expect(credential).toMatch(/^itk_[0-9A-Za-z]{36}$/);
    const random = credential.slice(4, 34);
    const checksum = [...credential.slice(34)].reduce((value, letter) => value * 62 + alphabet.indexOf(letter), 0);
    expect(checksum).toBe(Bun.hash.crc32(random));
  }
});

test("the polynomial is the standard one", () => {
  expect(Bun.hash.crc32("123456789")).toBe(0xcbf43926);
});

test("every character is equally likely", () => {
  const counts = new Map<string, number>();
  for (let i = 0; i < 2_000; i++) {
    for (const letter of newCredential("").slice(0, 30)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  // 60,000 draws of 62: 968 each, and a standard deviation of 31.
  expect(counts.size).toBe(62);
  expect(Math.min(...counts.values())).toBeGreaterThan(968 - 7 * 31);
  expect(Math.max(...counts.values())).toBeLessThan(968 + 7 * 31);
});

test("a fingerprint is the first 8 digits of the hash", () => {
  expect(fingerprintOf(hashOf("abc"))).toBe("ba7816bf");
});

test("the value of every credential in a text is hidden, its prefix is not", () => {
  const [token, key] = [newCredential("itk_"), newCredential("isk_")];
  const text = `token ${token}, key=${key}; secret "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" and mask_it`;
  expect(hideCredentials(text, "…")).toBe('token itk_…, key=isk_…; secret "whsec_…" and mask_it');
  expect([token, key, "whsec_x", ""].map(credentialKindOf)).toEqual(["token", "key", undefined, undefined]);
});
