import { envelopePart } from "../../openapi/schema/ingest.ts";
import type { EnvelopeThread } from "./envelope-thread.ts";
import type { Inspection, ReadEnvelope } from "./inspect.ts";
import { Malformed, TooLarge } from "./malformed.ts";
import type { Part } from "./spool.ts";

interface FoundEnvelope {
  envelope: ReadEnvelope;
  /** Every other part, in order of arrival. */
  attachments: Part[];
}

/** The part named `envelope`; with none of that name, the only part that holds JSON. */
export async function findEnvelope(parts: readonly Part[], thread: EnvelopeThread): Promise<FoundEnvelope> {
  const named = parts.find(({ name }) => name === envelopePart);
  const { part, inspection } = named
    ? { part: named, inspection: await thread.inspect(named.content) }
    : await onlyJson(parts, thread);
  return { envelope: requireObject(inspection), attachments: parts.filter((one) => one !== part) };
}

async function onlyJson(parts: readonly Part[], thread: EnvelopeThread) {
  const holding: { part: Part; inspection: Inspection }[] = [];
  const large: { part: Part; inspection: Inspection }[] = [];
  for (const part of parts) {
    if (!mayHoldJson(part)) continue;
    const inspection = await thread.inspect(part.content);
    if (inspection.kind === "object" || inspection.kind === "array") holding.push({ part, inspection });
    if (inspection.kind === "too_large") large.push({ part, inspection });
  }
  const [only, second] = holding.length > 0 ? holding : large;
  if (only && !second) return only;
  const found = second ? "Several parts hold JSON" : "No part holds JSON";
  throw new Malformed("envelope_missing", `${found} and none has the name ${envelopePart}.`);
}

/** By its first byte that is no blank, so that screenshots are not decoded. What is packed has to be looked at. */
function mayHoldJson({ head }: Part): boolean {
  const text = head[0] === 0xef ? head.subarray(3) : head;
  const first = text.find((byte) => byte > 0x20);
  return first === 0x7b || first === 0x5b || first === 0x1f || (first === undefined && head.length > 0);
}

function requireObject(inspection: Inspection): ReadEnvelope {
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
