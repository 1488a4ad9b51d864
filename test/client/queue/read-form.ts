import { gunzipSync } from "node:zlib";
import { requestOf } from "../../../client/src/reports/multipart-form.ts";
import { MultipartParser } from "../../../server/ingest/multipart.ts";
import { boundaryOf, type PartHeaders } from "../../../server/ingest/part-headers.ts";
import type { SentEnvelope } from "../cases/form.ts";

interface ReadPart extends PartHeaders {
  bytes: Buffer;
}

/** The parts of a packed report, as the server's own parser finds them. */
export function readParts(form: Uint8Array): ReadPart[] {
  const request = requestOf(form);
  if (!request) throw new Error("these bytes are no form");
  const { headers, body } = request;
  const found: { headers: PartHeaders; chunks: Buffer[] }[] = [];
  const parser = new MultipartParser(boundaryOf(headers["content-type"] ?? null) ?? "", {
    part: (part) => found.push({ headers: part, chunks: [] }),
    data: (bytes) => found.at(-1)?.chunks.push(Buffer.from(bytes)),
  });
  parser.push(Buffer.from(body as ArrayBuffer));
  parser.finish();
  return found.map((part) => ({ ...part.headers, bytes: Buffer.concat(part.chunks) }));
}

/** A packed report: its envelope, and its attachments by the name of their part. */
export function readForm(form: Uint8Array): { envelope: SentEnvelope; head: ReadPart; attachments: ReadPart[] } {
  const [head, ...attachments] = readParts(form);
  if (head?.name !== "envelope") throw new Error(`the first part is ${head?.name}`);
  const text = head.bytes[0] === 0x1f ? gunzipSync(head.bytes) : head.bytes;
  return { envelope: JSON.parse(text.toString()) as SentEnvelope, head, attachments };
}
