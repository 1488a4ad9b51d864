import { limits } from "../../openapi/schema/limits.ts";
import { unpack } from "./decode-envelope.ts";
import { sha256 } from "./sha256.ts";

/** Members of the envelope that may differ between two sendings of one report. */
const volatile = ["sentAt", "dropped", "clientReport", "attachments"];
const depthMax = 256;
/** From 2^53 on, `JSON.parse` gives the same number for different integers, so such a number is not exact. */
const exactBelow = 2 ** 53;

/**
 * The digest of an envelope in canonical form, with its members sorted and the volatile ones left out: two envelopes have
 * the same digest exactly when they are equal apart from volatile members and order. An envelope that has no canonical
 * form (nested too deep, or with a number that is not exact once it is parsed) has the digest of its bytes.
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
  if (depth > depthMax) return unsortable;
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
