import { randomFillSync } from "node:crypto";
import { crc32 } from "node:zlib";

/** A PNG as far as its type is told by its first bytes; pixels that do not compress. */
export function screenshot(size: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(1512, 0);
  header.writeUInt32BE(982, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const start = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", header)]);
  const content = Buffer.alloc(size);
  start.copy(content);
  content.writeUInt32BE(size - start.length - 12, start.length);
  content.write("IDAT", start.length + 4, "latin1");
  return randomFillSync(content, start.length + 8);
}

function chunk(type: string, data: Buffer): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
