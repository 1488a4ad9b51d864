import { uuid } from "../core/uuid.ts";
import { submitReport } from "../generated/contract.ts";
import type { Part } from "./attachment.ts";
import { join } from "./read-bytes.ts";

/** Compresses bytes with gzip, for platforms without `CompressionStream`. */
export type Gzip = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** `[`, with which the JSON of a form of old React Native versions begins. */
const openingBracket = 0x5b;

/** An envelope of fewer bytes is not compressed: gzip would save next to nothing. */
const compressFromBytes = 1024;

/**
 * Encodes a report as the bytes of a multipart form. They are made once, for all tries. Not made by `FormData`, because
 * platforms encode file names and boundaries differently.
 */
export async function encodeForm(
  text: string,
  envelope: Uint8Array,
  parts: readonly Part[],
  gzip: Gzip = gzipByStream,
): Promise<Uint8Array> {
  if (parts.some(({ data }) => !(data instanceof Uint8Array))) return encodeNativeForm(text, parts);
  const small = envelope.length < compressFromBytes;
  const gzipped = small
    ? undefined
    : await Promise.resolve(envelope)
        .then(gzip)
        .catch(() => undefined);
  const content = gzipped instanceof Uint8Array ? gzipped : envelope;
  const plain = content === envelope;
  const head = {
    part: "envelope",
    filename: plain ? "envelope.json" : "envelope.json.gz",
    contentType: plain ? "application/json" : "application/gzip",
  };
  // Random, so that an attachment cannot contain the boundary on purpose.
  const delimiter = `--${uuid()}`;
  const all = [{ reference: head, data: content }, ...parts].flatMap(({ reference, data }) => [
    `${delimiter}\r\nContent-Disposition: form-data; name="${reference.part}"; filename="${reference.filename}"\r\nContent-Type: ${reference.contentType}\r\n\r\n`,
    data as Uint8Array,
    "\r\n",
  ]);
  return join([...all, `${delimiter}--\r\n`]);
}

/**
 * Headers and body of the request that sends the bytes of {@link encodeForm}. The boundary is read from the bytes, which
 * begin with it. Throws when the bytes are no such form, for example after a damage of the store.
 */
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

async function gzipByStream(bytes: Uint8Array): Promise<Uint8Array> {
  const plain = new Response(bytes as Uint8Array<ArrayBuffer>).body;
  return new Uint8Array(await new Response(plain?.pipeThrough(new CompressionStream("gzip"))).arrayBuffer());
}

/**
 * Old versions of React Native cannot read files; they can only send a `FormData` that names a file. Such a report is
 * kept as the JSON of the form's fields, in ASCII, until it is sent. Its envelope is not compressed, because their
 * `FormData` takes text and files only.
 */
function encodeNativeForm(text: string, parts: readonly Part[]): Uint8Array {
  const files = parts.map(({ reference: { part, filename: name, contentType: type }, data }) => {
    const uri = data instanceof Uint8Array ? `data:${type};base64,${btoa(characters(data))}` : data.uri;
    return [part, { uri, name, type }];
  });
  const json = JSON.stringify([["envelope", text], ...files]);
  return join([json.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)]);
}

/** A string with one character for each byte. */
function characters(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
