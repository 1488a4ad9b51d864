import older from "../../openapi/openapi.3.0.json" with { type: "file" };
import latest from "../../openapi/openapi.json" with { type: "file" };
import envelopeSchema from "../../openapi/report-envelope.schema.json" with { type: "file" };

/** Paths of the documents, which stay in the binary until somebody asks for them, instead of in memory. */
const paths = { latest, older, envelopeSchema } as unknown as Record<DocumentName, string>;

export type DocumentName = "latest" | "older" | "envelopeSchema";

/** The text as it is committed. */
export function readDocument(name: DocumentName): Promise<string> {
  return Bun.file(paths[name]).text();
}
