import { Elysia } from "elysia";
import { Refusal } from "../core/context.ts";
import { answerError } from "../http/answer.ts";
import type { Edge } from "../http/edge.ts";
import { answerFile } from "../http/file-answer.ts";
import type { Files } from "../store/files.ts";
import { linkedFile } from "./linked-file.ts";
import type { Linked, Links } from "./links.ts";
import { imageTypes } from "./shown-types.ts";

const route = "linkedFile";

/**
 * `GET /files/…`: attachments and envelopes for whoever has a signed link. The files came from strangers and are answered
 * from the origin of the dashboard: scripts in them must not run, and cookies are not read.
 */
export function linkRoutes(edge: Edge, { files, links }: { files: Files; links: Links }) {
  return new Elysia().get("/files/:event/:what/:code", async ({ params: { event, what, code }, request }) => {
    const started = performance.now();
    try {
      // Elysia gives null for a segment whose percent encoding is no UTF-8.
      if ((code as string | null) === null) throw new Refusal("not_found");
      const input = { eventId: event, what: linkedBy(what), code };
      const file = await linkedFile({ store: edge.context.store, files, links, input });
      const response = await answerFile(edge.context, file, request.headers.get("range"), imageTypes);
      edge.answered(route, response.status, "ok", started);
      return response;
    } catch (error) {
      const { response, code: failed } = answerError(edge, route, error, request);
      edge.answered(route, response.status, failed, started);
      return response;
    }
  });
}

function linkedBy(word: string): Linked {
  if (word !== "envelope" && !/^\d{1,3}$/.test(word)) throw new Refusal("not_found");
  return word === "envelope" ? word : Number(word);
}
