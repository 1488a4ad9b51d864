import { limits } from "../../../openapi/schema/limits.ts";
import { Refusal } from "../../core/context.ts";
import type { Sealing } from "../../core/sealing.ts";
import { headersAbout } from "../messages/sealed-columns.ts";

/** The name of a header is a token (RFC 9110). A value is printable ASCII, which every receiver reads alike. */
const line = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)[ \t]*$/;

/**
 * Headers that a subscriber may not set: those that the message and its signature need, and the hop-by-hop headers of
 * RFC 2616 13.5.1.
 */
const reserved =
  /^(?:host|content-.*|webhook-.*|connection|keep-alive|proxy-(?:authenticate|authentication-info|authorization|connection)|te|trailer|transfer-encoding|upgrade)$/i;

/**
 * Reads further headers of a subscriber, one `Name: value` per line. An error names the number of the line only,
 * because the line may hold a secret.
 */
export function parseOwnHeaders(text: string): Record<string, string> {
  if (Buffer.byteLength(text) > limits.ownHeadersBytes) {
    throw new Refusal("invalid_input", `headers may take ${limits.ownHeadersBytes} bytes in all`);
  }
  const headers = new Map<string, string>();
  const names = new Set<string>();
  for (const [i, one] of text.split(/\r?\n/).entries()) {
    if (one.trim() === "") continue;
    const [, name = "", value = ""] = line.exec(one) ?? [];
    const where = `line ${i + 1} of the headers`;
    if (name === "") throw new Refusal("invalid_input", `${where} must look like Name: value, in printable ASCII`);
    if (reserved.test(name)) {
      throw new Refusal("invalid_input", `${where} sets a header that is not free: ${name.toLowerCase()}`);
    }
    if (names.has(name.toLowerCase())) throw new Refusal("invalid_input", `${where} sets a header a second time`);
    names.add(name.toLowerCase());
    headers.set(name, value);
  }
  if (headers.size === 0) throw new Refusal("invalid_input", "there is no header");
  if (headers.size > limits.ownHeadersMax) {
    throw new Refusal("invalid_input", `a subscriber has at most ${limits.ownHeadersMax} headers`);
  }
  return Object.fromEntries(headers);
}

/** The columns that hold the subscriber's own headers: the names in plain text, and names and values sealed. */
export function headerColumns(subscriberId: string, headers: Record<string, string> | null, sealing: Sealing) {
  if (headers === null) return { header_names: null, headers: null };
  return {
    header_names: JSON.stringify(Object.keys(headers)),
    headers: sealing.seal(JSON.stringify(headers), headersAbout(subscriberId)),
  };
}
