import { Elysia } from "elysia";
import { Refusal } from "../access/context.ts";
import { answerError, type HeaderFields } from "../http/answer.ts";
import type { Edge } from "../http/edge.ts";
import { rangeOf } from "../http/range.ts";
import type { Files } from "../store/files.ts";
import { type LinkedFile, linkedFile } from "./linked-file.ts";
import type { Linked, Links } from "./links.ts";

const route = "linkedFile";
/** What a browser may show, when its first bytes say so too; everything else is saved. */
const shown = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/**
 * Attachments and envelopes for whoever has a link. What is in them came from anybody, and it is answered from the
 * origin of the dashboard: nothing in it may run, and no cookie is looked at.
 */
export function linkRoutes(edge: Edge, { files, links }: { files: Files; links: Links }) {
  return new Elysia().get("/files/:event/:what/:code", async ({ params: { event, what, code }, request }) => {
    try {
      const input = { eventId: event, what: linkedBy(what), code };
      const file = await linkedFile({ store: edge.context.store, files, links, input });
      const response = answerFile(edge, file, request.headers.get("range"));
      edge.answered(route, response.status, "ok");
      return response;
    } catch (error) {
      const { response, code: failed } = answerError(edge, route, error);
      edge.answered(route, response.status, failed);
      return response;
    }
  });
}

function linkedBy(word: string): Linked {
  if (word !== "envelope" && !/^\d{1,3}$/.test(word)) throw new Refusal("not_found");
  return word === "envelope" ? word : Number(word);
}

function answerFile(edge: Edge, { bytes, filename, contentType, sniffedType }: LinkedFile, asked: string | null) {
  const inline = sniffedType !== null && shown.has(sniffedType);
  const headers: HeaderFields = {
    "content-type": inline ? sniffedType : safeType(contentType),
    "content-disposition": `${inline ? "inline" : "attachment"}; filename*=UTF-8''${encoded(filename)}`,
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "cache-control": "private, no-store",
    "accept-ranges": "bytes",
    "x-request-id": edge.context.newId(),
  };
  const range = rangeOf(asked, bytes.size);
  if (range === "whole") return new Response(bytes, { headers });
  if (range === "unsatisfiable") {
    return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${bytes.size}` } });
  }
  const { start, end } = range;
  headers["content-range"] = `bytes ${start}-${end - 1}/${bytes.size}`;
  return new Response(bytes.slice(start, end), { status: 206, headers });
}

/** Only what is a media type: it came from whoever sent the report. */
function safeType(type: string): string {
  return /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/.test(type) ? type : "application/octet-stream";
}

/** RFC 8187. */
function encoded(filename: string): string {
  return encodeURIComponent(filename.toWellFormed()).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
}
