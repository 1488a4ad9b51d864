import type { FaultCode, TooLargeReason } from "../../openapi/schema/errors.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";

/** A report that cannot be read: 400 with one fault. `message` is for the sender. */
export class Malformed extends Refusal {
  constructor(code: Extract<FaultCode, `multipart_${string}` | `envelope_${string}`>, message: string) {
    super("invalid_input", undefined, { details: [{ path: "", code, message }] }, code);
  }
}

const most = {
  request: { limit: limits.ingestBodyBytes, of: "bytes in its body" },
  envelope: { limit: limits.envelopeBytes, of: "bytes in its envelope, unpacked" },
  files: { limit: limits.parts, of: "parts, the envelope among them" },
} as const satisfies Record<TooLargeReason, { limit: number; of: string }>;

/** 413: what is too large, and how large it may be. */
export class TooLarge extends Refusal {
  constructor(reason: TooLargeReason) {
    const { limit, of } = most[reason];
    super(
      "payload_too_large",
      `A report has at most ${limit.toLocaleString("en")} ${of}.`,
      { reason, limit },
      `too_large_${reason}`,
    );
  }
}
