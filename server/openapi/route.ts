import { Elysia } from "elysia";
import { type Addresses, addressed } from "../../openapi/components/servers.ts";
import { jsonText } from "../../openapi/json.ts";
import type { Document } from "../../openapi/model/openapi.ts";
import { readPublicUrl } from "../core/settings.ts";
import type { Edge } from "../http/edge.ts";
import { answerPrecompressed, type Precompressed, precompress } from "../http/precompressed.ts";
import { type DocumentName, readDocument } from "./documents.ts";

const secondsInCaches = 60;

/** Routes of the OpenAPI documents and the schema of envelopes. `ingestUrl` is undefined where it is the public URL. */
export function documentRoutes(edge: Edge, ingestUrl: string | undefined) {
  const served = { latest: new Served("latest"), older: new Served("older") };
  let envelopeSchema: Precompressed | undefined;

  async function answerDocument(request: Request, document: Served): Promise<Response> {
    const publicUrl = await readPublicUrl(edge.context.store, edge.context.publicUrl);
    const precompressed = await document.precompressed({ publicUrl, ingestUrl: ingestUrl ?? publicUrl });
    return answerPrecompressed(request, precompressed, headersOf(edge, "application/json"));
  }

  return new Elysia()
    .get("/openapi.json", ({ request }) => answerDocument(request, served.latest))
    .get("/openapi.3.0.json", ({ request }) => answerDocument(request, served.older))
    .get("/report-envelope.schema.json", async ({ request }) => {
      envelopeSchema ??= precompress(await readDocument("envelopeSchema"));
      return answerPrecompressed(request, envelopeSchema, headersOf(edge, "application/schema+json"));
    });
}

/** A document with the addresses of this installation, made on request and again when the addresses have changed. */
class Served {
  readonly #name: DocumentName;
  #made: { addresses: Addresses; precompressed: Precompressed } | undefined;

  constructor(name: DocumentName) {
    this.#name = name;
  }

  async precompressed(addresses: Addresses): Promise<Precompressed> {
    const made = this.#made;
    if (made && Bun.deepEquals(made.addresses, addresses)) return made.precompressed;
    const document = JSON.parse(await readDocument(this.#name)) as Document;
    const precompressed = precompress(jsonText(addressed(document, addresses)));
    this.#made = { addresses, precompressed };
    return precompressed;
  }
}

function headersOf(edge: Edge, type: string): Record<string, string> {
  return {
    "content-type": type,
    "cache-control": `max-age=${secondsInCaches}`,
    "x-content-type-options": "nosniff",
    "x-request-id": edge.context.newId(),
  };
}
