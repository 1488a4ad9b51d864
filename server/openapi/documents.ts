import older from "../../openapi/openapi.3.0.json" with { type: "file" };
import latest from "../../openapi/openapi.json" with { type: "file" };
import envelopeSchema from "../../openapi/report-envelope.schema.json" with { type: "file" };

/** Paths of the documents. They are read from the binary on request, so that they take no memory before. */
const paths = { latest, older, envelopeSchema } as unknown as Record<DocumentName, string>;

export type DocumentName = "latest" | "older" | "envelopeSchema";

/** The text of the document as committed. */
export function readDocument(name: DocumentName): Promise<string> {
  return Bun.file(paths[name]).text();
}
