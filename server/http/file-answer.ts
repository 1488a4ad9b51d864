import type { Context } from "../core/context.ts";
import { escapeInvisible } from "../text/escape-invisible.ts";
import type { HeaderFields } from "./answer.ts";
import { rangeOf } from "./range.ts";

/** What somebody sent in, to be given out again. */
interface SentFile {
  bytes: Blob;
  filename: string;
  /** As the sender said. */
  contentType: string;
  /** As its first bytes say, if they do. */
  sniffedType: string | null;
}

/**
 * Nothing in it may run, wherever it is opened: it is answered from the origin of the dashboard. `shown` are the types
 * that a browser may show, when its first bytes say so too; everything else is saved.
 */
export function answerFile(
  { newId }: Pick<Context, "newId">,
  { bytes, filename, contentType, sniffedType }: SentFile,
  asked: string | null,
  shown: ReadonlySet<string>,
): Response {
  const inline = sniffedType !== null && shown.has(sniffedType);
  const headers: HeaderFields = {
    "content-type": inline ? sniffedType : safeType(contentType),
    "content-disposition": `${inline ? "inline" : "attachment"}; filename*=UTF-8''${encoded(escapeInvisible(filename))}`,
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "cache-control": "private, no-store",
    "accept-ranges": "bytes",
    "x-request-id": newId(),
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
  return /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?:; charset=utf-8)?$/.test(type)
    ? type
    : "application/octet-stream";
}

/** RFC 8187. */
function encoded(filename: string): string {
  return encodeURIComponent(filename.toWellFormed()).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
}
