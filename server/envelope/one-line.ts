import { limits } from "../../openapi/schema/limits.ts";
import { unpack } from "./decode-envelope.ts";

/**
 * The text of a stored envelope as the app sent it, on one line: line ends, which JSON has between its values only, become
 * blanks. Parsed and written again, large numbers and repeated members would be lost. Undefined for bytes that cannot be
 * unpacked.
 */
export function oneLine(bytes: Uint8Array): string | undefined {
  const unpacked = unpack(bytes, limits.envelopeBytes);
  // The decoder skips a byte order mark, which JSON does not have in the middle.
  return unpacked instanceof Uint8Array ? new TextDecoder().decode(unpacked).replace(/[\r\n]/g, " ") : undefined;
}

/** A JSON object with the envelope as its last member. */
export function withEnvelope(report: object, envelope: string): string {
  return `${JSON.stringify(report).slice(0, -1)},"envelope":${envelope}}`;
}
