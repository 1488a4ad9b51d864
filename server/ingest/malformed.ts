import type { FaultCode, TooLargeReason } from "../../openapi/schema/errors.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";

/** 400 `invalid_input` for a report that cannot be read, with one fault. `message` is sent to the client. */
export class Malformed extends Refusal {
  constructor(code: Extract<FaultCode, `multipart_${string}` | `envelope_${string}`>, message: string) {
    super("invalid_input", undefined, { details: [{ path: "", code, message }] }, code);
  }
}

const maxima = {
  request: { limit: limits.ingestBodyBytes, of: "bytes in its body" },
  envelope: { limit: limits.envelopeBytes, of: "bytes in its envelope, unpacked" },
  files: { limit: limits.parts, of: "parts, the envelope among them" },
} as const satisfies Record<TooLargeReason, { limit: number; of: string }>;

/** 413 `payload_too_large`, with what is too large and its limit. */
export class TooLarge extends Refusal {
  constructor(reason: TooLargeReason) {
    const { limit, of } = maxima[reason];
    super(
      "payload_too_large",
      `A report has at most ${limit.toLocaleString("en")} ${of}.`,
      { reason, limit },
      `too_large_${reason}`,
    );
  }
}
