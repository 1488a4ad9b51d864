import { gunzipSync } from "node:zlib";
import { limits } from "../../openapi/schema/limits.ts";
import { type EnvelopeIndex, indexEnvelope } from "./index-envelope.ts";
import { sha256 } from "./sha256.ts";

/** What a part turned out to hold. It passes between threads as JSON. */
export type DecodedEnvelope = Inspected | { kind: "array" | "scalar" | "not_json" | "gzip_corrupt" | "too_large" };

export interface Inspected {
  kind: "object";
  /** Bytes of the unpacked envelope. */
  size: number;
  /** SHA-256 of the unpacked envelope, in hex. */
  digest: string;
  /** How it is stored: as it came, or unpacked where packing has made it larger. */
  encoding: "identity" | "gzip";
  index: EnvelopeIndex;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Unpacks, decodes and parses. `most` bounds what is unpacked: beyond it `too_large`, before memory is spent. */
export function decodeEnvelope(bytes: Uint8Array, most: number = limits.envelopeBytes): DecodedEnvelope {
  const unpacked = unpack(bytes, most);
  if (!(unpacked instanceof Uint8Array)) return { kind: unpacked };
  let parsed: unknown;
  try {
    // A leading byte order mark is skipped by the decoder.
    parsed = JSON.parse(utf8.decode(unpacked));
  } catch {
    return { kind: "not_json" };
  }
  if (typeof parsed !== "object" || parsed === null) return { kind: "scalar" };
  if (Array.isArray(parsed)) return { kind: "array" };
  const packed = unpacked !== bytes && bytes.length < unpacked.length;
  return {
    kind: "object",
    size: unpacked.length,
    digest: sha256(unpacked).toHex(),
    encoding: packed ? "gzip" : "identity",
    index: indexEnvelope(parsed as Record<string, unknown>),
  };
}

/** Gzip is told by its first bytes, whatever a header says: JSON never begins so. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** What the stream says of its last member, within reason: unpacked in one piece it takes a tenth less time. */
function likelySize(bytes: Uint8Array): number {
  const [a = 0, b = 0, c = 0] = bytes.subarray(-4);
  return Math.min(65_536, 1_024 + a + (b << 8) + (c << 16));
}

const blank = Buffer.alloc(65_536);

function isBlank(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += blank.length) {
    const piece = bytes.subarray(at, at + blank.length);
    if (blank.compare(piece, 0, piece.length, 0, piece.length) !== 0) return false;
  }
  return true;
}

/** The bytes themselves when they are not packed. Several members are one stream; NUL bytes may follow it. */
export function unpack(bytes: Uint8Array, most: number): Uint8Array | "too_large" | "gzip_corrupt" {
  if (!isGzip(bytes)) return bytes.length > most ? "too_large" : bytes;
  try {
    // `info` tells how far it read: it takes the first NUL for the end, and what follows for nothing.
    const options = { maxOutputLength: most, chunkSize: likelySize(bytes), info: true };
    const { buffer, engine } = gunzipSync(bytes, options) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    return isBlank(bytes.subarray(engine.bytesWritten)) ? buffer : "gzip_corrupt";
  } catch (error) {
    return (error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE" ? "too_large" : "gzip_corrupt";
  }
}
