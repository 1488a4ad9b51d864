import type { Context } from "../core/context.ts";
import type { KeptFile } from "../store/files.ts";
import { escapeInvisible } from "../text/escape-invisible.ts";
import type { HeaderFields } from "./answer.ts";
import { rangeOf } from "./range.ts";

/** A file that came with a report, to be sent to a reader. */
interface SentFile {
  file: KeptFile;
  filename: string;
  /** The type that the sender gave. */
  contentType: string;
  /** The type that the first bytes show; null when they show none. */
  sniffedType: string | null;
}

/**
 * Answers with a file that an app sent. The answer has the origin of the dashboard, so its headers keep scripts in the
 * file from running. Browsers may show `shownTypes` when the first bytes have that type too; every other file is saved.
 * `rangeHeader` is the request's `Range`.
 */
export async function answerFile(
  { newId }: Pick<Context, "newId">,
  { file, filename, contentType, sniffedType }: SentFile,
  rangeHeader: string | null,
  shownTypes: ReadonlySet<string>,
): Promise<Response> {
  const inline = sniffedType !== null && shownTypes.has(sniffedType);
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
  const { size } = file;
  const range = rangeOf(rangeHeader, size);
  if (range === "unsatisfiable") {
    return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${size}` } });
  }
  const { start, end } = range === "whole" ? { start: 0, end: size } : range;
  const bytes = await file.open(start, end);
  if (range === "whole") return new Response(bytes, { headers });
  headers["content-range"] = `bytes ${start}-${end - 1}/${size}`;
  return new Response(bytes, { status: 206, headers });
}

/** The media type that the sender gave, when it has the form of a media type: the field may contain any text. */
function safeType(type: string): string {
  return /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?:; charset=utf-8)?$/.test(type)
    ? type
    : "application/octet-stream";
}

/** Encodes a file name for a header (RFC 8187). */
function encoded(filename: string): string {
  return encodeURIComponent(filename.toWellFormed()).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
}
