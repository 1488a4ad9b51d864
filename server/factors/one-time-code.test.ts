import { describe, expect, test } from "bun:test";
import { codeAt, keyUri, newSharedSecret, stepOf } from "./one-time-code.ts";

/** The secret of the test vectors in RFC 6238, appendix B: the ASCII text 12345678901234567890. */
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

describe("codes of an authenticator app", () => {
  test("are those of RFC 6238, cut to six digits", () => {
    const vectors = [
      [59, "94287082"],
      [1_111_111_109, "07081804"],
      [1_111_111_111, "14050471"],
      [1_234_567_890, "89005924"],
      [2_000_000_000, "69279037"],
      [20_000_000_000, "65353130"],
    ] as const;
    for (const [seconds, code] of vectors) expect(codeAt(secret, Math.floor(seconds / 30))).toBe(code.slice(2));
  });

  test("count in their step and the ones beside it, and not before or after", () => {
    const now = 1_700_000_000_000;
    const present = Math.floor(now / 30_000);
    const counts = (step: number) => stepOf(secret, codeAt(secret, step), { now, used: 0 });
    expect([-2, -1, 0, 1, 2].map((more) => counts(present + more))).toEqual([
      undefined,
      present - 1,
      present,
      present + 1,
      undefined,
    ]);
  });

  test("count no more once they or later ones were used", () => {
    const now = 1_700_000_000_000;
    const present = Math.floor(now / 30_000);
    const after = (step: number, used: number) => stepOf(secret, codeAt(secret, step), { now, used });
    expect(after(present, present)).toBeUndefined();
    expect(after(present - 1, present)).toBeUndefined();
    expect(after(present + 1, present)).toBe(present + 1);
  });

  test("have six digits and nothing else", () => {
    const now = 1_700_000_000_000;
    const code = codeAt(secret, Math.floor(now / 30_000));
    for (const wrong of ["", code.slice(1), `${code}0`, ` ${code}`, `${code} `, "é".repeat(6), "１２３４５６"]) {
      expect(stepOf(secret, wrong, { now, used: 0 })).toBeUndefined();
    }
  });
});

test("a new secret has 160 bits in base32, and is another each time", () => {
  const secrets = Array.from({ length: 50 }, newSharedSecret);
  for (const each of secrets) expect(each).toMatch(/^[A-Z2-7]{32}$/);
  expect(new Set(secrets).size).toBe(50);
  expect(keyUri(secret, { issuer: "A & B", account: "ada@example.org" })).toBe(
    `otpauth://totp/A%20%26%20B:ada%40example.org?secret=${secret}&issuer=A%20%26%20B`,
  );
});
