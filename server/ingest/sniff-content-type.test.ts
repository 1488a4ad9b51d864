import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { fileTypeFromBuffer } from "file-type";
import { imageTypeOf, sniffContentType } from "./sniff-content-type.ts";

const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

function chunk(type: string, length: number, there = length): Buffer {
  const start = Buffer.alloc(8 + there + 4);
  start.writeUInt32BE(length);
  start.write(type, 4, "latin1");
  return start;
}

const png = (...chunks: Buffer[]) => Buffer.concat([signature, ...chunks]);
const header = chunk("IHDR", 13);
const data = chunk("IDAT", 20);

describe("an image of a usual kind is told at once", () => {
  test.each([
    ["PNG", png(header, data), "image/png"],
    ["PNG with other chunks before its data", png(header, chunk("pHYs", 9), chunk("tEXt", 300), data), "image/png"],
    ["animated PNG", png(header, chunk("acTL", 8), data), "image/apng"],
    ["JPEG", Buffer.from("ffd8ffe000104a464946", "hex"), "image/jpeg"],
    ["JPEG of three bytes", Buffer.from("ffd8ff", "hex"), "image/jpeg"],
  ])("%s", async (_, bytes, type) => {
    expect(imageTypeOf(bytes)).toBe(type);
    expect((await fileTypeFromBuffer(bytes))?.mime as string).toBe(type);
  });
});

describe("what is not told at once is left to file-type", () => {
  test.each([
    ["nothing", Buffer.alloc(0), null],
    ["text", Buffer.from("a log line\n"), null],
    ["GIF", Buffer.from("GIF89a\x01\0\x01\0\0\0\0", "latin1"), "image/gif"],
    ["JPEG-LS", Buffer.from("ffd8fff7000b08", "hex"), "image/jls"],
    [
      "PNG whose data begins beyond the bytes that are looked at",
      png(header, chunk("iCCP", 5_000, 2_000)),
      "image/png",
    ],
    ["PNG whose header has another length", png(chunk("IHDR", 12), data), null],
    ["PNG with a second header of another length", png(header, chunk("IHDR", 12), data), null],
    ["PNG without a header", png(data), "image/png"],
    ["PNG of an iPhone", png(chunk("CgBI", 4), header, data), "image/png"],
    ["PNG that ends after its signature", png(), null],
  ])("%s", async (_, bytes, type) => {
    expect(imageTypeOf(bytes)).toBeUndefined();
    expect(await sniffContentType(bytes)).toBe(type);
  });
});

test("whatever the chunks of a PNG are, its type is that of file-type", async () => {
  const type = fc.constantFrom("IHDR", "IDAT", "acTL", "CgBI", "pHYs", "tEXt", "\xff\0ab");
  const length = fc.oneof(fc.constant(13), fc.nat(40), fc.constantFrom(0x7fffffff, 0x80000000, 0xffffffff));
  const chunks = fc.array(fc.tuple(type, length, fc.nat(40)), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(chunks, fc.nat(200), async (some, cut) => {
      const whole = png(header, ...some.map(([type, length, there]) => chunk(type, length, Math.min(there, length))));
      const bytes = whole.subarray(0, Math.max(8, whole.length - (cut % 60)));
      const told = imageTypeOf(bytes);
      if (told !== undefined) expect((await fileTypeFromBuffer(bytes))?.mime as string).toBe(told);
    }),
    { numRuns: 2_000 },
  );
});
