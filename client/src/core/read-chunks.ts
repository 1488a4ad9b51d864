import type { ByteStream } from "./web-types.ts";

/** Reads a stream to its end, or until it has given more than `maxBytes`. */
export async function readChunks(
  reader: ReturnType<ByteStream["getReader"]>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let left = maxBytes;
  for (;;) {
    const { value } = await reader.read();
    if (!value) return chunks;
    chunks.push(value as Uint8Array<ArrayBuffer>);
    left -= value.length;
    if (left < 0) {
      reader.cancel().catch(() => {});
      return chunks;
    }
  }
}
