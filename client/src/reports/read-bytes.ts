import type { ByteStream } from "../core/web-types.ts";

/** Copies a buffer of at most `maxBytes`. Larger buffers, which will not be sent, and other data are returned as they are. */
export function copyBuffer<T>(data: T, maxBytes: number): T | Uint8Array {
  const { buffer = data, byteOffset = 0, byteLength } = Object(data) as Uint8Array;
  return byteLength <= maxBytes ? new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength).slice() : data;
}

/** The members of blobs, files and streams from which bytes are read; a stream has only `getReader`. */
interface Readable {
  stream?(): ByteStream;
  getReader?: ByteStream["getReader"];
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Reads the bytes of a text, buffer, blob or stream; undefined when there are more than `maxBytes`. Streams can be read only once. */
export async function bytesOf(data: unknown, maxBytes: number): Promise<Uint8Array | undefined> {
  if (typeof data === "string") return join([data]);
  if (data instanceof Uint8Array) return data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  const source = Object(data) as Readable;
  const reader = (source.stream?.() ?? source).getReader?.();
  // An object without a stream is read as a whole; for anything that is not readable this line throws.
  if (!reader) return new Uint8Array(await source.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let read = await reader.read(); read.value; read = await reader.read()) {
    chunks.push(read.value);
    size += read.value.length;
    if (size > maxBytes) {
      reader.cancel().catch(() => {});
      return undefined;
    }
  }
  return join(chunks);
}

/** Joins chunks into one array that fills its whole buffer, because `fetch` is given the buffer. */
export function join(chunks: readonly (Uint8Array | string)[]): Uint8Array {
  const pieces = chunks.map((chunk) => (typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk));
  const whole = new Uint8Array(pieces.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
