import { acceptedCoding } from "./accept-encoding.ts";

/** Text as it is kept to be served: packed by gzip, with the tag that says which text it is. */
export interface Packed {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
}

export function pack(text: string): Packed {
  return { bytes: Bun.gzipSync(Buffer.from(text), { level: 9 }), etag: etagOf(text) };
}

/** For what is packed while the server is built: takes ten times as long, and is a twentieth smaller. */
export function packClosely(text: string): Packed {
  return { bytes: Bun.gzipSync(Buffer.from(text), { library: "libdeflate", level: 12 }), etag: etagOf(text) };
}

/** A weak one, because packed and plain share it. */
function etagOf(text: string): string {
  return `W/"${Bun.SHA256.hash(text, "hex").slice(0, 16)}"`;
}

/** As it is kept where gzip is accepted, else unpacked; nothing but 304 for whoever has it. */
export function answerPacked(
  { headers: asked }: Request,
  { bytes, etag }: Packed,
  told: Record<string, string>,
): Response {
  const headers = { ...told, etag, vary: "Accept-Encoding" };
  if (isNamedBy(asked.get("if-none-match") ?? "", etag)) return new Response(null, { status: 304, headers });
  if (!acceptedCoding(asked.get("accept-encoding"), ["gzip"])) return new Response(Bun.gunzipSync(bytes), { headers });
  return new Response(bytes, { headers: { ...headers, "content-encoding": "gzip" } });
}

/** RFC 9110 13.1.2: `If-None-Match` is any text, or a list of tags, which are compared without their strength. */
export function isNamedBy(given: string, etag: string): boolean {
  const tags: string[] = given.match(/"[^"]*"/g) ?? [];
  return given.trim() === "*" || tags.includes(etag.replace(/^W\//, ""));
}
