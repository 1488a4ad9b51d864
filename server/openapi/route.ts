import { Elysia } from "elysia";
import { jsonText } from "../../openapi/json.ts";
import type { Document } from "../../openapi/openapi.ts";
import { type Addresses, addressed } from "../../openapi/servers.ts";
import type { Edge } from "../http/edge.ts";
import { readPublicUrl } from "../ops/settings.ts";
import { type DocumentName, readDocument } from "./documents.ts";

const secondsInCaches = 60;

/** What describes the API, for whoever asks. `ingestUrl` is undefined where it is the public URL. */
export function documentRoutes(edge: Edge, ingestUrl: string | undefined) {
  const served = { latest: new Served("latest"), older: new Served("older") };

  async function answerDocument(document: Served): Promise<Response> {
    const publicUrl = await readPublicUrl(edge.context.store, edge.context.publicUrl);
    return answerText(edge, await document.text({ publicUrl, ingestUrl: ingestUrl ?? publicUrl }), "application/json");
  }

  return new Elysia()
    .get("/openapi.json", () => answerDocument(served.latest))
    .get("/openapi.3.0.json", () => answerDocument(served.older))
    .get("/report-envelope.schema.json", async () =>
      answerText(edge, await readDocument("envelopeSchema"), "application/schema+json"),
    );
}

/** A document with the addresses of this installation, made when somebody asks and again when they have changed. */
class Served {
  readonly #name: DocumentName;
  #made: { addresses: Addresses; text: string } | undefined;

  constructor(name: DocumentName) {
    this.#name = name;
  }

  async text(addresses: Addresses): Promise<string> {
    const made = this.#made;
    if (made && Bun.deepEquals(made.addresses, addresses)) return made.text;
    const document = JSON.parse(await readDocument(this.#name)) as Document;
    const text = jsonText(addressed(document, addresses));
    this.#made = { addresses, text };
    return text;
  }
}

function answerText(edge: Edge, text: string, type: string): Response {
  return new Response(text, {
    headers: {
      "content-type": type,
      "cache-control": `max-age=${secondsInCaches}`,
      "x-content-type-options": "nosniff",
      "x-request-id": edge.context.newId(),
    },
  });
}
