/** A copy of a buffer, unless it is too large to be sent anyway; whatever else was given is given back. */
export function copied<T>(data: T, most: number): T | Uint8Array {
  const { buffer = data, byteOffset = 0, byteLength } = Object(data) as Uint8Array;
  return byteLength <= most ? new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength).slice() : data;
}

/** Of text, buffers, blobs and streams, which are read once; undefined when there are more than `most`. */
export async function bytesOf(data: unknown, most: number): Promise<Uint8Array | undefined> {
  if (typeof data === "string") return join([data]);
  if (data instanceof Uint8Array) return data;
  // A Response takes anything, and makes "[object Object]" of the rest.
  if (!["byteLength", "size", "getReader"].some((name) => name in Object(data))) throw new Error("not readable");
  const response = new Response(data as Blob);
  const reader = response.body?.getReader();
  // React Native has no streams.
  if (!reader) return new Uint8Array(await response.arrayBuffer());
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
