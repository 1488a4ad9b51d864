import { IntakeError } from "../core/errors.ts";
import { readChunks } from "../core/read-chunks.ts";
import type { ByteStream } from "../core/web-types.ts";

/** Copies a buffer of at most `maxBytes`. Larger buffers, which will not be sent, and other data are returned as they are. */
export function copyBuffer<T>(data: T, maxBytes: number): T | Uint8Array {
  const view = Object(data) as Uint8Array;
  // An `ArrayBuffer` has neither `buffer` nor `byteOffset`.
  const buffer = (view.buffer ?? data) as ArrayBuffer;
  return view.byteLength <= maxBytes ? new Uint8Array(buffer, view.byteOffset, view.byteLength).slice() : data;
}

/** The members of blobs, files and streams from which bytes are read; a stream has only `getReader`. */
interface Readable {
  stream?(): ByteStream;
  getReader?: ByteStream["getReader"];
  arrayBuffer(): Promise<ArrayBuffer>;
}

/**
 * Reads the bytes of a text, blob or stream, or of what `copyBuffer` has returned; some more than `maxBytes` when there
 * are more. Streams can be read only once.
 */
export async function bytesOf(data: unknown, maxBytes: number): Promise<Uint8Array> {
  if (typeof data === "string") return join([data]);
  if (data instanceof Uint8Array) return data;
  const source = Object(data) as Readable;
  const reader = (source.stream?.() ?? source).getReader?.();
  // An object without a stream is read as a whole; for anything that is not readable this line throws.
  return reader ? join(await readChunks(reader, maxBytes)) : new Uint8Array(await source.arrayBuffer());
}

/**
 * Joins chunks into one array that fills its whole buffer, because `fetch` is given the buffer. Throws
 * {@link IntakeError} where texts cannot be encoded, as in old versions of React Native.
 */
export function join(chunks: readonly (Uint8Array | string)[]): Uint8Array {
  if (!globalThis.TextEncoder) throw new IntakeError("No TextEncoder: load a polyfill.");
  const pieces = chunks.map((chunk) => (typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk));
  let size = 0;
  for (const piece of pieces) size += piece.length;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
