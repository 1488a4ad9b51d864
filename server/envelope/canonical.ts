import { limits } from "../../openapi/schema/limits.ts";
import { unpack } from "./decode-envelope.ts";
import { sha256 } from "./sha256.ts";

/** Members of the envelope that may differ between two sendings of one report. */
const volatile = ["sentAt", "dropped", "clientReport", "attachments"];
const deepest = 256;
/** From here on neighbours among the integers are one number once they are parsed. */
const exactBelow = 2 ** 53;

/**
 * A digest that two envelopes share exactly when they are equal but for the volatile members and the order of members:
 * the envelope written again with its members sorted. One that cannot be (nested too deep, or with a number that is not exact
 * once it is parsed) is taken by its bytes.
 */
export function canonicalDigest(stored: Uint8Array): Uint8Array {
  const unpacked = unpack(stored, limits.envelopeBytes);
  if (!(unpacked instanceof Uint8Array)) throw new Error("a stored envelope cannot be unpacked");
  const envelope = JSON.parse(new TextDecoder().decode(unpacked)) as Record<string, unknown>;
  for (const name of volatile) delete envelope[name];
  const { reportId } = envelope;
  if (typeof reportId === "string") envelope["reportId"] = reportId.toLowerCase();
  const ordered = sorted(envelope, 0);
  return sha256(ordered === unsortable ? unpacked : JSON.stringify(ordered));
}

const unsortable = Symbol("unsortable");

function sorted(value: unknown, depth: number): unknown {
  if (typeof value === "number" && Math.abs(value) >= exactBelow) return unsortable;
  if (typeof value !== "object" || value === null) return value;
  if (depth > deepest) return unsortable;
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const member of value) {
      const ordered = sorted(member, depth + 1);
      if (ordered === unsortable) return unsortable;
      list.push(ordered);
    }
    return list;
  }
  // Without a prototype, `__proto__` is a member like any other.
  const object: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(value).sort()) {
    const ordered = sorted((value as Record<string, unknown>)[name], depth + 1);
    if (ordered === unsortable) return unsortable;
    object[name] = ordered;
  }
  return object;
}
