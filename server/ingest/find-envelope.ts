import { envelopePart } from "../../openapi/schema/ingest.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { type DecodedEnvelope, type DecodedObject, isGzip, unpack } from "../envelope/decode-envelope.ts";
import type { EnvelopeReader } from "../envelope/envelope-reader.ts";
import { Malformed, TooLarge } from "./malformed.ts";
import type { Part } from "./spool.ts";

export interface ReadEnvelope extends DecodedObject {
  /** The envelope as it is stored: compressed as it came, or plain. */
  bytes: Uint8Array;
}

export interface FoundEnvelope {
  envelope: ReadEnvelope;
  /** Every other part, in order of arrival. */
  attachments: Part[];
}

/**
 * Finds and decodes the envelope of a report: the part named `envelope`, or the only part that holds JSON. `owner` is the
 * key that sent it; reading the owner's large envelopes may take `maxMilliseconds` of processor time in 60 s.
 */
export async function findEnvelope(
  parts: readonly Part[],
  reader: EnvelopeReader,
  owner: string,
  maxMilliseconds = Number.POSITIVE_INFINITY,
): Promise<FoundEnvelope> {
  const named = parts.find(({ name }) => name === envelopePart);
  const { part, decoded } = named
    ? { part: named, decoded: await reader.decodeEnvelope(named.content, owner, maxMilliseconds) }
    : await onlyJson(parts, reader, owner, maxMilliseconds);
  const object = requireObject(decoded);
  const bytes = await storedBytes(part, object);
  return { envelope: { ...object, bytes }, attachments: parts.filter((one) => one !== part) };
}

async function storedBytes({ content }: Part, { encoding }: DecodedObject): Promise<Uint8Array> {
  const bytes = content instanceof Uint8Array ? content : await content.bytes();
  // Gzip that is larger than its contents is stored unpacked; such contents are short unless made so on purpose.
  const unpacked = encoding === "identity" && isGzip(bytes) ? unpack(bytes, limits.envelopeBytes) : bytes;
  if (!(unpacked instanceof Uint8Array)) throw new Error("an envelope that was read cannot be unpacked");
  return unpacked;
}

async function onlyJson(parts: readonly Part[], reader: EnvelopeReader, owner: string, maxMilliseconds: number) {
  const holding: { part: Part; decoded: DecodedEnvelope }[] = [];
  const large: { part: Part; decoded: DecodedEnvelope }[] = [];
  for (const part of parts) {
    if (!mayHoldJson(part)) continue;
    const decoded: DecodedEnvelope =
      part.size > limits.packedEnvelopeBytes
        ? { kind: "too_large" }
        : await reader.decodeEnvelope(part.content, owner, maxMilliseconds);
    if (decoded.kind === "object" || decoded.kind === "array") holding.push({ part, decoded });
    if (decoded.kind === "too_large") large.push({ part, decoded });
  }
  const [only, second] = holding.length > 0 ? holding : large;
  if (only && !second) return only;
  const found = second ? "Several parts hold JSON" : "No part holds JSON";
  throw new Malformed(
    "envelope_missing",
    `${found}, and none has the name ${envelopePart}. Give that name to the part with the report.`,
  );
}

/** Looks at the first byte that is no blank, so that screenshots are not decoded. Gzip may hold anything. */
function mayHoldJson({ head }: Part): boolean {
  if (isGzip(head)) return true;
  const text = head[0] === 0xef ? head.subarray(3) : head;
  const first = text.find((byte) => byte > 0x20);
  return first === 0x7b || first === 0x5b || (first === undefined && head.length > 0);
}

function requireObject(decoded: DecodedEnvelope): DecodedObject {
  switch (decoded.kind) {
    case "object":
      return decoded;
    case "too_large":
      throw new TooLarge("envelope");
    case "gzip_corrupt":
      throw new Malformed(
        "envelope_gzip_corrupt",
        "The envelope is gzip that is cut, damaged or followed by other bytes.",
      );
    case "not_json":
      throw new Malformed("envelope_not_json", "The envelope is not JSON in UTF-8.");
    default:
      throw new Malformed("envelope_not_object", "The envelope must be one JSON object.");
  }
}
