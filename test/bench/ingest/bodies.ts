import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { freshFolder } from "../scratch.ts";
import { errorReport, feedback, placeholderId } from "./envelope.ts";
import { contentType, gzipEnvelope, multipart, plainEnvelope } from "./multipart.ts";
import { openGzip } from "./open-gzip.ts";
import { screenshot } from "./screenshot.ts";

/** Bodies that requests.lua puts a report id of its own into, again and again: no two requests are alike. */
export interface Bodies {
  /** As requests.lua reads it. */
  file: string;
  /** Of the first body, as an example. */
  envelopeBytes: number;
  jsonBytes: number;
  attachmentBytes: number;
}

const kinds = 50;

export function smallBodies(): Bodies {
  const reports = Array.from({ length: kinds }, (_, seed) => errorReport(seed + 1));
  const bodies = reports.map((report) => {
    const gzip = openGzip(report);
    const body = multipart([gzipEnvelope(gzip.bytes)]);
    const start = body.indexOf(gzip.bytes);
    return { body, idOffset: start + gzip.idOffset, crcOffset: start + gzip.crcOffset, crcChanges: gzip.crcChanges };
  });
  const [first = ""] = reports;
  return {
    file: save(bodies),
    envelopeBytes: openGzip(first).bytes.length,
    jsonBytes: first.length,
    attachmentBytes: 0,
  };
}

export const attachmentSizes = { attachment: 100_000, megabyte: 1_000_000 } as const;
/** The sender holds all of them in memory. */
const attachmentsBytes = 10_000_000;

export function attachmentBodies(attachmentBytes: number): Bodies {
  let jsonBytes = 0;
  const length = Math.min(kinds, attachmentsBytes / attachmentBytes);
  const bodies = Array.from({ length }, () => {
    const { body, json } = reportWithAttachment(screenshot(attachmentBytes));
    jsonBytes = json.length;
    return { body, idOffset: body.indexOf(placeholderId) };
  });
  return { file: save(bodies), envelopeBytes: jsonBytes, jsonBytes, attachmentBytes };
}

/** The envelope is plain JSON with the placeholder in it. */
export function reportWithAttachment(content: Uint8Array): { body: Buffer; json: string } {
  const part = { name: "attachment_0", filename: "screenshot.png", contentType: "image/png", content };
  const json = feedback({
    part: part.name,
    filename: part.filename,
    contentType: part.contentType,
    size: content.length,
    sha256: Bun.SHA256.hash(content, "hex"),
    kind: "screenshot",
  });
  return { body: multipart([plainEnvelope(json), part]), json };
}

/** One gzip of some hundred kB that unpacks a thousand times as large. */
export function bombBodies(): Bodies & { body: Buffer } {
  const json = `{"version":1,"reportId":"${placeholderId}","message":"${" ".repeat(300 * 2 ** 20)}"}`;
  const gzip = gzipSync(json, { level: 9 });
  const body = multipart([gzipEnvelope(gzip)]);
  const file = save([{ body, idOffset: -1 }]);
  return { body, file, envelopeBytes: gzip.length, jsonBytes: json.length, attachmentBytes: 0 };
}

interface OpenBody {
  body: Buffer;
  /** Where the report id goes; -1 to send the body as it is. */
  idOffset: number;
  crcOffset?: number;
  crcChanges?: Uint32Array;
}

/** For each body a line of numbers, the body and its table of CRC changes. */
function save(bodies: readonly OpenBody[]): string {
  const file = join(freshFolder("bodies"), "bodies");
  const chunks = bodies.flatMap(({ body, idOffset, crcOffset = -1, crcChanges = new Uint32Array() }) => [
    Buffer.from(`${body.length} ${idOffset} ${crcOffset} ${crcChanges.byteLength}\n`),
    body,
    new Uint8Array(crcChanges.buffer),
  ]);
  writeFileSync(file, Buffer.concat([Buffer.from(`${contentType}\n`), ...chunks]));
  return file;
}
