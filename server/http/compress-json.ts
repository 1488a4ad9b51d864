import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { acceptedCoding } from "./accept-encoding.ts";

/** The text of an answer, and its bytes by the coding that somebody has asked for. */
export interface JsonText {
  text: string;
  coded: Partial<Record<Coding, Promise<Uint8Array<ArrayBuffer>>>>;
}

type Coding = "zstd" | "gzip";
/** Best first: zstd takes half the time of gzip and is smaller. */
const codings = ["zstd", "gzip"] as const;

const compressedFrom = 1_024;
/** Larger ones are compressed beside the event loop. Up to here it takes less than 0.1 ms, a third of writing the JSON. */
const inlineMax = 32_768;

/**
 * The body of an answer to a page, compressed where the browser takes it.
 *
 * The length of a compressed answer tells what it has in common with itself (BREACH, CRIME): another site that makes
 * the browser ask again and again, with text of its own in the answer, reads a secret beside that text. So a request
 * from elsewhere is answered as it is; answers that hold secrets are not brought here at all.
 */
export async function compressJson(
  { headers: asked }: Request,
  json: JsonText,
  headers: Record<string, string>,
): Promise<string | Uint8Array<ArrayBuffer>> {
  if (json.text.length < compressedFrom) return json.text;
  headers["vary"] = "Accept-Encoding";
  const site = asked.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") return json.text;
  const coding = acceptedCoding(asked.get("accept-encoding"), codings);
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
