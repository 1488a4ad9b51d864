import type { Example } from "../model/openapi.ts";
import { errors, type TooLargeReason } from "../schema/errors.ts";
import type { Envelope, Received } from "../schema/ingest.ts";
import { limits } from "../schema/limits.ts";

const crash: Envelope = {
  version: 1,
  reportId: "5f0c7f0e-2f0b-4c5e-9a39-0a6f6a3f6c11",
  type: "crash",
  title: "TypeError: total is undefined",
  level: "error",
  occurredAt: "2026-11-21T12:29:58.120Z",
  sentAt: "2026-11-21T12:30:00.000Z",
  sdk: { name: "@intake/client", version: "0.1.0" },
  app: { name: "shop", version: "4.2.0", build: "1187", environment: "production" },
  os: { name: "Android", version: "16" },
  device: { model: "Pixel 9" },
  user: { id: "u-48213" },
  tags: { screen: "checkout" },
  contexts: { cart: { items: 3 } },
  breadcrumbs: [{ at: "2026-11-21T12:29:55.000Z", message: "opened checkout" }],
  exception: { type: "TypeError", message: "total is undefined", stack: "at pay (checkout.js:41:7)" },
};

const feedback: Envelope = {
  reportId: "0d6a2a54-6a51-4c1c-8a53-6b6f2f6d8a02",
  type: "feedback",
  message: "The button at the bottom cannot be reached.",
  attachments: [{ part: "attachment_0", filename: "screen.png", contentType: "image/png", kind: "screenshot" }],
};

/** Envelopes as apps send them. */
export const envelopes = [crash, feedback];

/** Each value is the content of a part, with a file name. */
export const reportRequests = {
  crash: { summary: "An envelope alone", value: { envelope: JSON.stringify(crash) } },
  feedback: {
    summary: "An envelope and a screenshot",
    value: { envelope: JSON.stringify(feedback), attachment_0: "(the bytes of screen.png)" },
  },
} as const satisfies Record<string, Example>;

const eventId = "019a9c1e-6d04-7d21-9e66-8c4fbf02f2a5";

export const receivedReports = {
  received: { summary: "Stored", value: { status: "received", eventId, deliveryCount: 0, idempotent: false } },
  repeated: {
    summary: "It was stored before",
    value: { status: "received", eventId, deliveryCount: 0, idempotent: true },
  },
  withWarnings: {
    summary: "Stored, and something was not as it should be",
    value: {
      status: "received",
      eventId,
      deliveryCount: 0,
      idempotent: false,
      warnings: [
        {
          path: "/level",
          code: "wrong_type",
          message: "/level is not one of fatal, error, warning, info, debug; it is kept, but not indexed.",
        },
      ],
    },
  },
} as const satisfies Record<string, { summary: string; value: Received }>;

/** What can be wrong with the form of a report. */
export const invalidReports = {
  multipart_malformed: malformed("multipart_malformed", "Two parts have the name envelope."),
  envelope_missing: malformed(
    "envelope_missing",
    "No part holds JSON, and none has the name envelope. Give that name to the part with the report.",
  ),
  envelope_gzip_corrupt: malformed(
    "envelope_gzip_corrupt",
    "The envelope is gzip that is cut, damaged or followed by other bytes.",
  ),
  envelope_not_json: malformed("envelope_not_json", "The envelope is not JSON in UTF-8."),
  envelope_not_object: malformed("envelope_not_object", "The envelope must be one JSON object."),
} as const satisfies Record<string, Example>;

/** What can be too large about a report. */
export const largeReports = {
  request: tooLarge("request", limits.ingestBodyBytes, "A report has at most 26,214,400 bytes in its body."),
  envelope: tooLarge(
    "envelope",
    limits.envelopeBytes,
    "A report has at most 5,242,880 bytes in its envelope, unpacked.",
  ),
  files: tooLarge("files", limits.parts, "A report has at most 6 parts, the envelope among them."),
} as const satisfies Record<TooLargeReason, Example>;

/** What is wrong with the media type or the coding of a report. */
export const unreadableReports = {
  other_type: {
    summary: "Another media type",
    value: { error: "unsupported_media_type", message: "Send the report as multipart/form-data." },
  },
  packed_request: {
    summary: "The request itself is packed",
    value: {
      error: "unsupported_media_type",
      message: "Send the request itself uncompressed; only the envelope may be gzip.",
    },
  },
} as const satisfies Record<string, Example>;

function malformed(code: string, message: string): Example {
  return {
    summary: message,
    value: { error: "invalid_input", message: errors.invalid_input.message, details: [{ path: "", code, message }] },
  };
}

function tooLarge(reason: TooLargeReason, limit: number, message: string): Example {
  return { summary: message, value: { error: "payload_too_large", message, reason, limit } };
}
