import type { fileTypeFromBuffer } from "file-type";

let detect: typeof fileTypeFromBuffer | undefined;

/**
 * The MIME type that the first bytes of an attachment show, whatever its name and `Content-Type` say; null when they
 * show none. Most attachments are screenshots: what they are takes two comparisons, the 150 checks of `file-type` a
 * hundred times as long. `file-type` is loaded with the first other file: loading it costs 5 ms and some MB of memory.
 */
export async function sniffContentType(head: Uint8Array): Promise<string | null> {
  const image = imageTypeOf(head);
  if (image !== undefined) return image;
  detect ??= (await import("file-type")).fileTypeFromBuffer;
  return (await detect(head))?.mime ?? null;
}

const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const jpegStart = [0xff, 0xd8, 0xff];
/** What follows the start of JPEG-LS, which is another type. */
const jpegLs = 0xf7;

/** PNG, APNG or JPEG, where the bytes show one of them beyond doubt; undefined for all else. */
export function imageTypeOf(head: Uint8Array): string | undefined {
  if (startsWith(head, jpegStart)) return head[jpegStart.length] === jpegLs ? undefined : "image/jpeg";
  return startsWith(head, pngSignature) ? pngTypeOf(head) : undefined;
}

function startsWith(head: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, i) => head[i] === byte);
}

const [header, imageData, animation] = ["IHDR", "IDAT", "acTL"].map((type) => Buffer.from(type).readUInt32BE());
const headerLength = 13;
/** Length, type and checksum of a chunk. */
const chunkOverhead = 12;

/**
 * Goes from chunk to chunk: a length, a type, the data, a checksum. A PNG is animated when a chunk `acTL` comes before
 * the first image data.
 */
function pngTypeOf(head: Uint8Array): string | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  for (let at = pngSignature.length; at + 8 < head.length; ) {
    const length = view.getInt32(at);
    const type = view.getUint32(at + 4);
    const first = at === pngSignature.length;
    if (length < 0 || (type === header) !== first || (first && length !== headerLength)) return undefined;
    if (type === imageData) return "image/png";
    if (type === animation) return "image/apng";
    at += chunkOverhead + length;
  }
  return undefined;
}
