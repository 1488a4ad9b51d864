import { expect, test } from "bun:test";
import fc from "fast-check";
import { newCredential } from "../../../server/core/credential.ts";
import { requireCredential } from "./credential.ts";
import { IntakeError } from "./errors.ts";

const kind = fc.constantFrom("itk" as const, "isk" as const);

test("what the server makes is taken, with the blanks that files have around it", () => {
  fc.assert(
    fc.property(kind, fc.stringMatching(/^[ \t\r\n]{0,3}$/), (given, blanks) => {
      const credential = newCredential(`${given}_`);
      expect(requireCredential(given, blanks + credential + blanks)).toBe(credential);
    }),
  );
});

test("one character that is another, missing or too many is found", () => {
  const character = fc.oneof(fc.stringMatching(/^[0-9A-Za-z_]$/), fc.string({ minLength: 1, maxLength: 1 }));
  fc.assert(
    fc.property(kind, fc.nat({ max: 39 }), fc.nat({ max: 1 }), character, (given, at, taken, put) => {
      const credential = newCredential(`${given}_`);
      for (const wrong of [
        credential.slice(0, at) + put + credential.slice(at + taken),
        credential.slice(0, at) + credential.slice(at + 1),
      ]) {
        if (wrong.trim() !== credential) expect(() => requireCredential(given, wrong)).toThrow(IntakeError);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("two neighbours that changed places are found", () => {
  fc.assert(
    fc.property(kind, fc.nat({ max: 38 }), (given, at) => {
      const credential = newCredential(`${given}_`);
      const [left = "", right = ""] = credential.slice(at, at + 2);
      const wrong = credential.slice(0, at) + right + left + credential.slice(at + 2);
      if (wrong !== credential) expect(() => requireCredential(given, wrong)).toThrow(IntakeError);
    }),
    { numRuns: 1_000 },
  );
});

test("the other kind is named, and no credential stands in what is said", () => {
  const token = newCredential("itk_");
  const key = newCredential("isk_");
  expect(() => requireCredential("isk", token)).toThrow(/SDK key.*not an API token/);
  expect(() => requireCredential("itk", key)).toThrow(/API token.*not an SDK key/);
  expect(() => requireCredential("itk", `${token.slice(0, -1)}_`)).toThrow(/mistyped/);
  for (const nothing of ["", " \n", undefined]) expect(() => requireCredential("isk", nothing)).toThrow(/empty/);
  for (const wrong of [token, `${key}x`, `x${key}`]) {
    expect(messageOf(() => requireCredential("isk", wrong))).not.toContain(wrong.slice(4, 12));
  }
});

test("what is no text is no credential", () => {
  for (const wrong of [undefined, null, 5, {}, [], "", "itk_"])
    expect(() => requireCredential("itk", wrong)).toThrow(IntakeError);
});

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return String(error);
  }
  throw new Error("nothing was thrown");
}
