import { gunzipSync } from "node:zlib";
import { limits } from "../../openapi/schema/limits.ts";
import { type EnvelopeIndex, indexEnvelope } from "./index-envelope.ts";
import { type SearchWords, searchWordsOf } from "./search-words.ts";
import { sha256 } from "./sha256.ts";

/** What was found in the bytes of an envelope. It passes between threads as JSON. */
export type DecodedEnvelope = DecodedObject | { kind: "array" | "scalar" | "not_json" | "gzip_corrupt" | "too_large" };

export interface DecodedObject {
  kind: "object";
  /** Bytes of the unpacked envelope. */
  size: number;
  /** SHA-256 of the unpacked envelope, in hex. */
  digest: string;
  /** How the envelope is stored: as it came, or unpacked where gzip had made it larger. */
  encoding: "identity" | "gzip";
  index: EnvelopeIndex;
  words: SearchWords;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Unpacks, decodes and parses an envelope. Beyond `max` unpacked bytes it is `too_large`, before memory is spent. */
export function decodeEnvelope(bytes: Uint8Array, max: number = limits.envelopeBytes): DecodedEnvelope {
  const unpacked = unpack(bytes, max);
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
  const envelope = parsed as Record<string, unknown>;
  const packed = unpacked !== bytes && bytes.length < unpacked.length;
  return {
    kind: "object",
    size: unpacked.length,
    digest: sha256(unpacked).toHex(),
    encoding: packed ? "gzip" : "identity",
    index: indexEnvelope(envelope),
    words: searchWordsOf(envelope),
  };
}

/** Whether the bytes begin like gzip, whatever a header says. JSON never begins with these bytes. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** The unpacked size that gzip states in its last bytes, bounded: a buffer of that size saves a tenth of the time. */
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

/**
 * Unpacks gzip to at most `max` bytes; other bytes are returned as they are. Several gzip members are one stream, and NUL
 * bytes may follow it.
 */
export function unpack(bytes: Uint8Array, max: number): Uint8Array | "too_large" | "gzip_corrupt" {
  if (!isGzip(bytes)) return bytes.length > max ? "too_large" : bytes;
  try {
    // `info` gives the position where reading ended: zlib stops at the first NUL byte and ignores what follows.
    const options = { maxOutputLength: max, chunkSize: likelySize(bytes), info: true };
    const { buffer, engine } = gunzipSync(bytes, options) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    return isBlank(bytes.subarray(engine.bytesWritten)) ? buffer : "gzip_corrupt";
  } catch (error) {
    return (error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE" ? "too_large" : "gzip_corrupt";
  }
}
