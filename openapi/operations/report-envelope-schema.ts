import { headerReferences } from "../components/headers.ts";
import { envelopes } from "../examples/reports.ts";
import { type Operation, reference } from "../model/openapi.ts";
import { headersTooLarge, refusals } from "./refusals.ts";

/** What a reader knows it by. */
export const schemaHead = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "ReportEnvelope",
};

const value = { ...schemaHead, type: "object", examples: envelopes };

export const getReportEnvelopeSchema: Operation = {
  operationId: "getReportEnvelopeSchema",
  summary: "Get the JSON Schema of the envelope",
  description: "For those who write envelopes without a generated client. It needs no credential.",
  tags: ["Reports"],
  security: [],
  responses: {
    200: {
      description: "A JSON Schema, draft 2020-12.",
      headers: headerReferences(["X-Request-Id"]),
      content: {
        "application/schema+json": {
          schema: reference("ReportEnvelopeSchema"),
          examples: { schema: { summary: "The schema, without its properties", value } },
        },
      },
    },
    431: headersTooLarge,
    ...refusals("getReportEnvelopeSchema"),
  },
};
