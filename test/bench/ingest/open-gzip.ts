import { constants, crc32, deflateRawSync } from "node:zlib";
import { placeholderId } from "./envelope.ts";

/**
 * A gzip of JSON in which a load generator can replace the report id without packing it again: the text up to and with
 * the id is a stored block, the rest one compressed block. To unpack it costs what it costs to unpack any other gzip.
 */
interface OpenGzip {
  bytes: Buffer;
  idOffset: number;
  crcOffset: number;
  /** For each character of the id 16 numbers: what the digits 0 to f there change in the CRC-32, by exclusive or. */
  crcChanges: Uint32Array;
}

export function openGzip(json: string): OpenGzip {
  const text = Buffer.from(json);
  const idInText = text.indexOf(placeholderId);
  const stored = text.subarray(0, idInText + placeholderId.length);
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  const storedHeader = Buffer.alloc(5);
  storedHeader.writeUInt16LE(stored.length, 1);
  storedHeader.writeUInt16LE(0xffff - stored.length, 3);
  const rest = deflateRawSync(text.subarray(stored.length), { level: constants.Z_DEFAULT_COMPRESSION });
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(text), 0);
  trailer.writeUInt32LE(text.length, 4);
  const bytes = Buffer.concat([header, storedHeader, stored, rest, trailer]);
  return {
    bytes,
    idOffset: header.length + storedHeader.length + idInText,
    crcOffset: bytes.length - trailer.length,
    crcChanges: crcChanges(text, idInText),
  };
}

/** CRC-32 is linear: what each character changes does not depend on the others. */
function crcChanges(text: Buffer, at: number): Uint32Array {
  const unchanged = crc32(text);
  const changes = new Uint32Array(placeholderId.length * 16);
  for (let i = 0; i < placeholderId.length; i++) {
    const before = text[at + i] ?? 0;
    for (let digit = 0; digit < 16; digit++) {
      text[at + i] = digit.toString(16).charCodeAt(0);
      changes[i * 16 + digit] = crc32(text) ^ unchanged;
    }
    text[at + i] = before;
  }
  return changes;
}
