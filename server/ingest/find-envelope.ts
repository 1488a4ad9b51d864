import { envelopePart } from "../../openapi/schema/ingest.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { type DecodedEnvelope, type Inspected, isGzip, unpack } from "../envelope/decode-envelope.ts";
import type { EnvelopeReader } from "../envelope/envelope-reader.ts";
import { Malformed, TooLarge } from "./malformed.ts";
import type { Part } from "./spool.ts";

export interface ReadEnvelope extends Inspected {
  /** As they are stored. */
  bytes: Uint8Array;
}

export interface FoundEnvelope {
  envelope: ReadEnvelope;
  /** Every other part, in order of arrival. */
  attachments: Part[];
}

/** The part named `envelope`, read within `mostMilliseconds` of its owner's processor time; with none of that name, the only part that holds JSON. */
export async function findEnvelope(
  parts: readonly Part[],
  reader: EnvelopeReader,
  owner: string,
  mostMilliseconds = Number.POSITIVE_INFINITY,
): Promise<FoundEnvelope> {
  const named = parts.find(({ name }) => name === envelopePart);
  const { part, inspection } = named
    ? { part: named, inspection: await reader.decodeEnvelope(named.content, owner, mostMilliseconds) }
    : await onlyJson(parts, reader, owner, mostMilliseconds);
  const inspected = requireObject(inspection);
  const bytes = await storedBytes(part, inspected);
  return { envelope: { ...inspected, bytes }, attachments: parts.filter((one) => one !== part) };
}

async function storedBytes({ content }: Part, { encoding }: Inspected): Promise<Uint8Array> {
  const bytes = content instanceof Uint8Array ? content : await content.bytes();
  // Packing that makes larger is never long, unless somebody has meant it.
  const unpacked = encoding === "identity" && isGzip(bytes) ? unpack(bytes, limits.envelopeBytes) : bytes;
  if (!(unpacked instanceof Uint8Array)) throw new Error("an envelope that was read cannot be unpacked");
  return unpacked;
}

async function onlyJson(parts: readonly Part[], reader: EnvelopeReader, owner: string, mostMilliseconds: number) {
  const holding: { part: Part; inspection: DecodedEnvelope }[] = [];
  const large: { part: Part; inspection: DecodedEnvelope }[] = [];
  for (const part of parts) {
    if (!mayHoldJson(part)) continue;
    const inspection: DecodedEnvelope =
      part.size > limits.packedEnvelopeBytes
        ? { kind: "too_large" }
        : await reader.decodeEnvelope(part.content, owner, mostMilliseconds);
    if (inspection.kind === "object" || inspection.kind === "array") holding.push({ part, inspection });
    if (inspection.kind === "too_large") large.push({ part, inspection });
  }
  const [only, second] = holding.length > 0 ? holding : large;
  if (only && !second) return only;
  const found = second ? "Several parts hold JSON" : "No part holds JSON";
  throw new Malformed(
    "envelope_missing",
    `${found}, and none has the name ${envelopePart}. Give that name to the part with the report.`,
  );
}

/** By its first byte that is no blank, so that screenshots are not decoded. What is packed has to be looked at. */
function mayHoldJson({ head }: Part): boolean {
  if (isGzip(head)) return true;
  const text = head[0] === 0xef ? head.subarray(3) : head;
  const first = text.find((byte) => byte > 0x20);
  return first === 0x7b || first === 0x5b || (first === undefined && head.length > 0);
}

function requireObject(inspection: DecodedEnvelope): Inspected {
  switch (inspection.kind) {
    case "object":
      return inspection;
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
