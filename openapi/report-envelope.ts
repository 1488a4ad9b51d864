import { schemas } from "./components/schemas.ts";
import { envelopes } from "./examples/reports.ts";
import { resolved, type Schema } from "./model/openapi.ts";
import { schemaHead } from "./operations/report-envelope-schema.ts";

/** The envelope as a JSON Schema without references to other documents. */
export function reportEnvelopeSchema(): Schema {
  const all = schemas();
  return { ...schemaHead, ...(inlined(all, all["ReportEnvelope"]) as Schema), examples: envelopes };
}

function inlined(all: Record<string, Schema>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => inlined(all, item));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(resolved(all, value as Schema)).map(([name, member]) => [name, inlined(all, member)]);
  return Object.fromEntries(members);
}
