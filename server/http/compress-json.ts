import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { acceptedCoding } from "./accept-encoding.ts";

/** The JSON of an answer, with its compressed bytes for each coding that was asked for so far. */
export interface JsonText {
  text: string;
  coded: Partial<Record<Coding, Promise<Uint8Array<ArrayBuffer>>>>;
}

type Coding = "zstd" | "gzip";
/** In order of preference: zstd takes half the time of gzip and its result is smaller. */
const codings = ["zstd", "gzip"] as const;

const compressedFrom = 1_024;
/** Longer JSON is compressed on a thread. Up to this length it takes less than 0.1 ms, a third of writing the JSON. */
const inlineMax = 32_768;

/**
 * The body of an answer to a page, compressed where the browser accepts it. The length of a compressed answer reveals
 * repetitions (BREACH, CRIME): another site that makes the browser send requests whose answers contain text of its
 * choice can guess a secret in the answer by the length. So a request from another site is answered uncompressed, and
 * answers with secrets are never passed to this function.
 */
export async function compressJson(
  { headers: requested }: Request,
  json: JsonText,
  headers: Record<string, string>,
): Promise<string | Uint8Array<ArrayBuffer>> {
  if (json.text.length < compressedFrom) return json.text;
  headers["vary"] = "Accept-Encoding";
  const site = requested.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") return json.text;
  const coding = acceptedCoding(requested.get("accept-encoding"), codings);
  if (coding === undefined) return json.text;
  headers["content-encoding"] = coding;
  json.coded[coding] ??= compress(coding, encoder.encode(json.text));
  return json.coded[coding];
}

const encoder = new TextEncoder();

async function compress(coding: Coding, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if (coding === "zstd") {
    const zstd = bytes.length > inlineMax ? Bun.zstdCompress : Bun.zstdCompressSync;
    return (await zstd(bytes, { level: 1 })) as Uint8Array<ArrayBuffer>;
  }
  if (bytes.length > inlineMax) return (await gzipBeside(bytes, { level: 1 })) as Uint8Array<ArrayBuffer>;
  return Bun.gzipSync(bytes, { library: "libdeflate", level: 1 });
}

const gzipBeside = promisify<Uint8Array, { level: number }, Uint8Array>(gzip);
