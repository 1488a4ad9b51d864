import { uuid } from "../core/uuid.ts";
import { submitReport } from "../generated/contract.ts";
import type { Part } from "./attachment.ts";
import { join } from "./bytes.ts";

/** Packs, for platforms without `CompressionStream`. */
export type Gzip = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

const openingBracket = 0x5b;

/** Below this packing is not worth its time. */
const worthwhileBytes = 1024;

/** The bytes of a report, made once for all tries and written here, because platforms differ in every way they can. */
export async function encodeForm(
  text: string,
  envelope: Uint8Array,
  parts: readonly Part[],
  gzip: Gzip = byStream,
): Promise<Uint8Array> {
  if (parts.some(({ data }) => !(data instanceof Uint8Array))) return encodeNativeForm(text, parts);
  const small = envelope.length < worthwhileBytes;
  const gzipped = small
    ? undefined
    : await Promise.resolve(envelope)
        .then(gzip)
        .catch(() => undefined);
  const packed = gzipped instanceof Uint8Array ? gzipped : envelope;
  const plain = packed === envelope;
  const head = {
    part: "envelope",
    filename: plain ? "envelope.json" : "envelope.json.gz",
    contentType: plain ? "application/json" : "application/gzip",
  };
  // Nobody who chooses what an attachment holds knows it.
  const mark = `--${uuid()}`;
  const all = [{ reference: head, data: packed }, ...parts].flatMap(({ reference, data }) => [
    `${mark}\r\nContent-Disposition: form-data; name="${reference.part}"; filename="${reference.filename}"\r\nContent-Type: ${reference.contentType}\r\n\r\n`,
    data as Uint8Array,
    "\r\n",
  ]);
  return join([...all, `${mark}--\r\n`]);
}

/** How the bytes of {@link encodeForm} are sent: they begin with their boundary. Throws when they are something else. */
export function requestOf(form: Uint8Array): { headers: Record<string, string>; body: ArrayBuffer } {
  if (form[0] !== openingBracket) {
    const boundary = characters(form.subarray(2, 38));
    if (!/^[\da-f-]{36}$/.test(boundary)) throw new Error("This is no form.");
    const type = `${submitReport.mediaType}; boundary=${boundary}`;
    return { headers: { "content-type": type }, body: form.buffer as ArrayBuffer };
  }
  const body = new FormData();
  for (const [name, value] of JSON.parse(characters(form))) body.append(name, value);
  return { headers: {}, body: body as unknown as ArrayBuffer };
}

async function byStream(bytes: Uint8Array): Promise<Uint8Array> {
  const plain = new Response(bytes as Uint8Array<ArrayBuffer>).body;
  return new Uint8Array(await new Response(plain?.pipeThrough(new CompressionStream("gzip"))).arrayBuffer());
}

/**
 * Older React Natives cannot read a file, only name it in a form. Such a report is kept as JSON, in ASCII, until it is
 * sent; its envelope goes as text, because their forms take nothing else.
 */
function encodeNativeForm(text: string, parts: readonly Part[]): Uint8Array {
  const files = parts.map(({ reference: { part, filename: name, contentType: type }, data }) => {
    const uri = data instanceof Uint8Array ? `data:${type};base64,${btoa(characters(data))}` : data.uri;
    return [part, { uri, name, type }];
  });
  const json = JSON.stringify([["envelope", text], ...files]);
  return join([json.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)]);
}

/** One for each byte. */
function characters(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
