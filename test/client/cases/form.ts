import type { Arrived } from "../fault-script.ts";
import { ok } from "./check.ts";

/** One part of a report as it was sent; `body` has one character for each byte. */
interface Part {
  /** The lines of the part's headers. */
  head: string[];
  name: string;
  filename: string;
  contentType: string;
  body: string;
}

/** Splits a form into its parts. Strict, because servers differ in what they tolerate. */
export function partsOf({ headers, body }: Arrived): Part[] {
  const boundary = /^multipart\/form-data; ?boundary="?([^";]+)"?$/.exec(headers["content-type"] ?? "")?.[1];
  ok(boundary, `no form: ${headers["content-type"]}`);
  const pieces = `\r\n${body}`.split(`\r\n--${boundary}`);
  ok(pieces[0] === "" && /^--(\r\n)?$/.test(pieces.at(-1) ?? ""), "the form does not begin and end with its boundary");
  return pieces.slice(1, -1).map((piece) => {
    const end = piece.indexOf("\r\n\r\n");
    const head = piece.slice(2, end).split("\r\n");
    const [, name = "", filename] =
      /^content-disposition: form-data; name="([^"\r\n]+)"; filename="([^"\r\n]+)"$/i.exec(head[0] ?? "") ?? [];
    ok(filename !== undefined, `a part without a file name: ${head[0]}`);
    const contentType = /^content-type: (\S.*)$/i.exec(head[1] ?? "")?.[1] ?? "";
    return { head, name, filename, contentType, body: piece.slice(end + 4) };
  });
}

export interface SentEnvelope {
  reportId: string;
  title?: string;
  attachments?: {
    part: string;
    filename: string;
    size?: number;
    sha256?: string;
    kind?: string;
    contentType?: string;
  }[];
  dropped?: { filename: string; size?: number; reason: string }[];
  clientReport?: { dropped: Record<string, number> };
  [member: string]: unknown;
}

/** The envelope of a report, decompressed by the platform if it is compressed. */
export async function envelopeOf(arrived: Arrived): Promise<SentEnvelope> {
  const [part] = partsOf(arrived);
  ok(part?.name === "envelope", `the first part is ${part?.name}`);
  const bytes = bytesOf(part.body);
  const packed = part.body.startsWith("\x1f\x8b");
  const stream = new Blob([bytes]).stream();
  const text = await new Response(packed ? stream.pipeThrough(new DecompressionStream("gzip")) : stream).text();
  return JSON.parse(text) as SentEnvelope;
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
