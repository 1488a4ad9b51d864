import { uuid, uuidPattern } from "../core/uuid.ts";
import { requestBytesMax, submitReport } from "../generated/contract.ts";
import type { FileReference, Part } from "./attachment.ts";
import { bytesOf, join } from "./read-bytes.ts";

/** Compresses bytes with gzip, for platforms without `CompressionStream`. */
export type Gzip = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** A request's headers and body. */
interface FormRequest {
  headers: Record<string, string>;
  body: ArrayBuffer;
}

/** What React Native does otherwise; each function returns undefined where React Native is like the other platforms. */
export interface NativeForms {
  /** Reads a file that is named by its URI, or returns the reference where the platform cannot read files. */
  read(data: unknown, maxBytes: number): Promise<Uint8Array | FileReference> | undefined;
  /** Encodes a report with files that the platform cannot read. */
  encode(text: string, parts: readonly Part[]): Uint8Array | undefined;
  /** The request for the bytes that `encode` has made; undefined for other bytes. */
  request(form: Uint8Array): FormRequest | undefined;
}

/**
 * Encodes a report as the bytes of a multipart form. They are made once, for all tries. Not made by `FormData`, because
 * platforms encode file names and boundaries differently.
 */
export async function encodeForm(
  envelope: Uint8Array,
  parts: readonly Part[],
  gzip: Gzip = gzipByStream,
): Promise<Uint8Array> {
  let data = envelope;
  let filename = "envelope.json";
  let contentType = "application/json";
  try {
    // With less than 1 KiB gzip would save next to nothing.
    const gzipped = envelope.length < 1024 || (await gzip(envelope));
    if (gzipped instanceof Uint8Array) {
      data = gzipped;
      filename += ".gz";
      contentType = "application/gzip";
    }
  } catch {
    // The envelope is sent as it is.
  }
  // Random, so that an attachment cannot contain the boundary on purpose.
  const delimiter = `--${uuid()}`;
  const all = [{ _reference: { part: "envelope", filename, contentType }, data }, ...parts].flatMap(
    ({ _reference: reference, data }) => [
      `${delimiter}\r\nContent-Disposition: form-data; name="${reference.part}"; filename="${reference.filename}"\r\nContent-Type: ${reference.contentType}\r\n\r\n`,
      data as Uint8Array,
      "\r\n",
    ],
  );
  return join([...all, `${delimiter}--\r\n`]);
}

/**
 * Headers and body of the request that sends the bytes of {@link encodeForm}. The boundary is read from the bytes, which
 * begin with it. Undefined when the bytes are no such form, for example after a damage of the store.
 */
export function requestOf(form: Uint8Array, native?: NativeForms): FormRequest | undefined {
  const boundary = String.fromCharCode(...form.subarray(2, 38));
  return uuidPattern.test(boundary)
    ? {
        headers: { "content-type": `${submitReport.mediaType}; boundary=${boundary}` },
        body: form.buffer as ArrayBuffer,
      }
    : native?.request(form);
}

function gzipByStream(bytes: Uint8Array): Promise<Uint8Array> {
  const plain = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream();
  return bytesOf(plain.pipeThrough(new CompressionStream("gzip")), requestBytesMax);
}
