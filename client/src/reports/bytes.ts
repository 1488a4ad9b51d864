import type { ByteStream } from "../core/web.ts";

/** A copy of a buffer, unless it is too large to be sent anyway; whatever else was given is given back. */
export function copied<T>(data: T, most: number): T | Uint8Array {
  const { buffer = data, byteOffset = 0, byteLength } = Object(data) as Uint8Array;
  return byteLength <= most ? new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength).slice() : data;
}

/** What blobs, files, and streams have of each other. */
interface Readable {
  stream?(): ByteStream;
  getReader?: ByteStream["getReader"];
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Of text, buffers, blobs and streams, which are read once; undefined when there are more than `most`. */
export async function bytesOf(data: unknown, most: number): Promise<Uint8Array | undefined> {
  if (typeof data === "string") return join([data]);
  if (data instanceof Uint8Array) return data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  const source = Object(data) as Readable;
  const reader = (source.stream?.() ?? source).getReader?.();
  // What can only be read as a whole; and what cannot be read at all throws.
  if (!reader) return new Uint8Array(await source.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let read = await reader.read(); read.value; read = await reader.read()) {
    chunks.push(read.value);
    size += read.value.length;
    if (size > most) {
      reader.cancel().catch(() => {});
      return undefined;
    }
  }
  return join(chunks);
}

/** One array with a buffer of its own, which every `fetch` sends as it is. */
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
