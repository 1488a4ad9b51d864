import { PassThrough, Readable } from "node:stream";
import { constants, createGzip } from "node:zlib";

/** A body that is made in parts: what is there of it is sent before the next part comes, compressed or not. */
export function streamParts(parts: AsyncIterable<string>, coding: "gzip" | undefined): ReadableStream<Uint8Array> {
  const bytes = coding === "gzip" ? createGzip({ level: 1, flush: constants.Z_SYNC_FLUSH }) : new PassThrough();
  return Readable.toWeb(Readable.from(parts).pipe(bytes)) as unknown as ReadableStream<Uint8Array>;
}
