import { longerThan } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { Malformed } from "./malformed.ts";

export interface PartHeaders {
  name: string;
  filename: string | null;
  contentType: string | null;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** An app sends the same headers with every report, but for the names of some files. */
const rememberedMax = 100;
const rememberedBytesMax = 256;
const remembered = new Map<string, PartHeaders>();

/** The headers of one part, as {@link parsePartHeaders} gives them; those of a usual length are parsed once. */
export function readPartHeaders(block: Buffer): PartHeaders {
  if (block.length > rememberedBytesMax) return parsePartHeaders(block);
  const bytes = block.toString("latin1");
  let headers = remembered.get(bytes);
  if (!headers) {
    headers = Object.freeze(parsePartHeaders(block));
    if (remembered.size >= rememberedMax) remembered.clear();
    remembered.set(bytes, headers);
  }
  return headers;
}

/** The headers of one part, in every shape that real clients send (RFC 7578 4, RFC 2183, RFC 5987). */
function parsePartHeaders(block: Buffer): PartHeaders {
  const fields = new Map<string, string>();
  // A line that begins with a blank continues the line before it.
  const lines = decode(block)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || /[\r\n]/.test(line))
      throw malformed("A line among the headers of a part is no header.");
    const value = line.slice(colon + 1).trim();
    if ((fields.get(name) ?? value) !== value) throw malformed(`A part has two headers of the name ${name}.`);
    fields.set(name, value);
  }
  const encoding = fields.get("content-transfer-encoding")?.toLowerCase();
  if (encoding === "base64" || encoding === "quoted-printable") {
    throw malformed(`A part has Content-Transfer-Encoding: ${encoding}. Send its bytes as they are.`);
  }
  const parameters = dispositionOf(fields.get("content-disposition"));
  const name = parameters.get("name*") ?? parameters.get("name");
  if (name === undefined) throw malformed("A part has no name in its Content-Disposition.");
  if (longerThan(name, limits.partNameMax)) {
    throw malformed(`The name of a part has more than ${limits.partNameMax} characters.`);
  }
  return {
    name,
    // Some clients write an empty file name for a file without a name.
    filename: parameters.get("filename*") || parameters.get("filename") || null,
    contentType: fields.get("content-type") || null,
  };
}

function malformed(message: string): Malformed {
  return new Malformed("multipart_malformed", message);
}

/** The bytes as UTF-8, or as Latin-1 when they are no UTF-8. */
function decode(block: Buffer): string {
  try {
    return utf8.decode(block);
  } catch {
    return block.toString("latin1");
  }
}

/** The parameters of `form-data; …`; those in the extended form (`filename*`) are decoded. */
function dispositionOf(value = ""): Map<string, string> {
  const type = /^[\w-]+\s*(?=;|$)/.exec(value);
  if (!type) throw malformed("A part has no header Content-Disposition: form-data.");
  const parameters = parametersOf(value, type[0].length);
  if (!parameters) return looseDispositionOf(value);
  for (const [name, text] of parameters) {
    const extended = name.endsWith("*") ? decodeExtended(text) : unquote(text);
    if (extended === undefined) parameters.delete(name);
    else parameters.set(name, extended);
  }
  return parameters;
}

const parameter = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))\s*/y;

/** The parameters after a media type or disposition, names in lower case. Undefined when the text is no such list. */
function parametersOf(value: string, start: number): Map<string, string> | undefined {
  const parameters = new Map<string, string>();
  parameter.lastIndex = start;
  while (parameter.lastIndex < value.length) {
    const at = parameter.lastIndex;
    const [, name = "", quoted, token = ""] = parameter.exec(value) ?? [];
    if (name === "") return /^[\s;]*$/.test(value.slice(at)) ? parameters : undefined;
    const key = name.toLowerCase();
    if (parameters.has(key)) throw malformed(`There are two parameters of the name ${name}.`);
    parameters.set(key, quoted ?? token.trim());
  }
  return parameters;
}

/**
 * Some clients do not escape a quote, or a last backslash, in a file name. No report is refused for the name of a file.
 */
function looseDispositionOf(value: string): Map<string, string> {
  const name = /;\s*name="([^"]*)"/i.exec(value)?.[1];
  if (name === undefined) throw malformed("The Content-Disposition of a part cannot be read.");
  const start = /;\s*filename="/i.exec(value);
  const end = value.lastIndexOf('"');
  const filename = start ? value.slice(start.index + start[0].length, end) : "";
  return new Map([
    ["name", unquote(name)],
    ["filename", unquote(filename)],
  ]);
}

/**
 * Decodes a file name. Browsers percent-encode three characters, other clients put a backslash before quotes, and some
 * percent-encode the whole name. A backslash before any other character is part of the name: browsers do not escape it.
 */
function unquote(text: string): string {
  if (/^(?:[\w.!~*'()-]|%[0-9a-f]{2})*$/i.test(text) && text.includes("%")) {
    try {
      return decodeURIComponent(text);
    } catch {
      // The name is not percent-encoded: it stays as it is.
    }
  }
  return text
    .replace(/\\(["\\])/g, "$1")
    .replace(/%22/g, '"')
    .replace(/%0D/gi, "\r")
    .replace(/%0A/gi, "\n");
}

/** RFC 5987: `utf-8''gr%C3%B6%C3%9Fe.log`. Undefined when it cannot be read, so that the plain form counts. */
function decodeExtended(text: string): string | undefined {
  const [, charset = "", encoded = ""] = /^([\w-]+)'[^']*'(.*)$/s.exec(text) ?? [];
  try {
    if (/^utf-?8$/i.test(charset)) return decodeURIComponent(encoded);
    if (/^iso-8859-1$/i.test(charset)) {
      return encoded.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    }
  } catch {
    // Not UTF-8.
  }
  return undefined;
}

/** The boundary of `multipart/form-data; boundary=…`: undefined for another media type, empty when it is missing. */
export function boundaryOf(contentType: string | null): string | undefined {
  const type = /^\s*multipart\/form-data\s*(?=;|$)/i.exec(contentType ?? "");
  if (contentType === null || !type) return undefined;
  const boundary = parametersOf(contentType, type[0].length)?.get("boundary") ?? "";
  // RFC 2046 5.1.1, and what clients have made of it: printable, at most 70 characters, no blank at the end.
  return /^[\x20-\x7e]{0,69}[\x21-\x7e]$/.test(boundary) ? boundary : "";
}
