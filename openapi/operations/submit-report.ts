import { headerReferences } from "../components/headers.ts";
import { reportServers } from "../components/servers.ts";
import {
  invalidReports,
  largeReports,
  receivedReports,
  reportRequests,
  unreadableReports,
} from "../examples/reports.ts";
import { type Operation, reference } from "../model/openapi.ts";
import { envelopePart } from "../schema/ingest.ts";
import { limits } from "../schema/limits.ts";
import { limited, refusals } from "./refusals.ts";

const attachments = limits.parts - 1;

export const submitReport: Operation = {
  operationId: "submitReport",
  summary: "Submit a report",
  description: [
    "Stores a report as an event, once: a report that was received before, by the reportId in its envelope or by equal bytes, is answered with idempotent true and not stored again. The answer comes when the report is on disk.",
    `The form has a part ${envelopePart} with the envelope as JSON (ReportEnvelope), plain or packed by gzip, which is recognised by its first bytes; the request itself is not compressed. Up to ${attachments} further parts are attachments.`,
    "Send every part as a file, with a file name. A binary part without one is text to many parsers, which destroys gzip and images: with curl write -F envelope=@file and not -F envelope=<file, in a browser give append() a third argument.",
    `At most ${limits.requestsPerWindow} requests in any ${limits.windowSeconds} seconds per key unless an admin has set another limit, and ${limits.requestsPerAddress} per source address. Pages of any origin may send, unless the key has a list of origins.`,
  ].join("\n\n"),
  tags: ["Reports"],
  security: [{ sdkKey: [] }],
  servers: reportServers(),
  "x-limits": { requestBytes: limits.ingestBodyBytes, envelopeBytes: limits.envelopeBytes, files: limits.parts },
  requestBody: {
    required: true,
    description: `At most ${limits.ingestBodyBytes.toLocaleString("en")} bytes in all, ${limits.envelopeBytes.toLocaleString("en")} in the envelope, unpacked, and ${limits.parts} parts.`,
    content: {
      "multipart/form-data": { schema: reference("Report"), examples: reportRequests, encoding: encodings() },
    },
  },
  responses: {
    200: {
      description: "The report is stored.",
      headers: headerReferences(limited),
      content: { "application/json": { schema: reference("Received"), examples: receivedReports } },
    },
    ...refusals("submitReport", {
      invalid_input: invalidReports,
      payload_too_large: largeReports,
      unsupported_media_type: unreadableReports,
    }),
  },
};

function encodings(): Record<string, { contentType: string }> {
  const others = Array.from({ length: attachments }, (_, i) => [`attachment_${i}`, { contentType: "*/*" }]);
  return { [envelopePart]: { contentType: "application/json, application/gzip" }, ...Object.fromEntries(others) };
}
