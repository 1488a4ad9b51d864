import { IntakeError } from "./errors.ts";

const kinds = { itk: "an API token", isk: "an SDK key" };

/**
 * Returns the credential without surrounding white space, such as the line end of a file. Throws {@link IntakeError}
 * when the credential is empty, of the other kind, or mistyped: its last six characters are a checksum of the 30 before them
 * (CRC-32 in base 62).
 */
export function requireCredential(kind: keyof typeof kinds, value: unknown): string {
  const text = typeof value === "string" ? value.trim() : "";
  const [, given, random = "", checksum = ""] = /^(i[st]k)_(\w{30})(\w{6})$/.exec(text) ?? [];
  let crc = -1;
  for (const character of random) {
    crc ^= character.charCodeAt(0);
    for (let bit = 8; bit--; ) crc = (crc >>> 1) ^ (crc & 1 && 0xedb88320);
  }
  let wanted = 0;
  // The digits of base 62 are 0-9, A-Z, a-z, in this order.
  for (const digit of checksum) wanted = wanted * 62 + Number.parseInt(digit, 36) + (digit > "Z" ? 26 : 0);
  if (given === kind && ~crc >>> 0 === wanted) return text;
  const mistake = text ? (given !== kind && kinds[given as keyof typeof kinds]) || "a mistyped one" : "an empty one";
  throw new IntakeError(`This needs ${kinds[kind]}, not ${mistake}.`);
}
