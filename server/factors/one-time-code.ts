import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const secretBytes = 20;
const stepMilliseconds = 30_000;
/** Steps before and after the present one whose codes count too: clocks differ. */
const skew = 1;

/** A new secret of an authenticator app, in base32 (RFC 4648) without padding. */
export function newSharedSecret(): string {
  let [text, bits, value] = ["", 0, 0];
  for (const byte of randomBytes(secretBytes)) {
    value = (value << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += alphabet[(value >>> (bits - 5)) & 31];
    value &= (1 << bits) - 1;
  }
  return text;
}

/** The code of six digits for one time step (RFC 6238 with SHA-1, which every app knows). */
export function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac("sha1", bytesOf(secret)).update(counter).digest();
  const place = (hash.at(-1) ?? 0) & 15;
  return String((hash.readUInt32BE(place) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

/** The time step that a code belongs to, after the step `used`; undefined for a wrong code. Every code takes as long. */
export function stepOf(secret: string, code: string, { now, used }: { now: number; used: number }): number | undefined {
  const present = Math.floor(now / stepMilliseconds);
  const given = Buffer.from(code.padStart(6).slice(0, 6));
  let found: number | undefined;
  for (let step = present - skew; step <= present + skew; step++) {
    const expected = Buffer.from(codeAt(secret, step));
    if (given.length === expected.length && timingSafeEqual(given, expected) && step > used) found ??= step;
  }
  return code.length === 6 ? found : undefined;
}

/** What a QR code tells an app. */
export function keyUri(secret: string, { issuer, account }: { issuer: string; account: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

function bytesOf(secret: string): Buffer {
  const bytes: number[] = [];
  let [bits, value] = [0, 0];
  for (const letter of secret) {
    value = (value << 5) | alphabet.indexOf(letter);
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((value >>> bits) & 255);
      value &= (1 << bits) - 1;
    }
  }
  return Buffer.from(bytes);
}
