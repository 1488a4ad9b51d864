import { limits } from "../../../openapi/schema/limits.ts";
import { Refusal } from "../../core/context.ts";
import { indexText } from "../../envelope/index-envelope.ts";
import { type Addresses, AddressRefused } from "../addresses/addresses.ts";
import { type MessageType, messageTypes } from "../messages/message.ts";

/** Looked up now, so that a typing error is found by whoever made it. */
export async function requireAddress(addresses: Addresses, text: string): Promise<URL> {
  if (text.length > limits.urlMax) {
    throw new Refusal("invalid_input", `the address must have at most ${limits.urlMax} characters`);
  }
  try {
    return (await addresses.resolve(text)).url;
  } catch (error) {
    if (error instanceof AddressRefused) throw new Refusal("invalid_input", error.message);
    throw error;
  }
}

/** Each once; none are reports. */
export function typesOf(given: readonly MessageType[]): MessageType[] {
  return given.length === 0 ? [messageTypes[0]] : [...new Set(given)];
}

/** Each once, as they are compared: what is indexed of an envelope is cut alike. */
export function requireReportTypes(given: readonly string[]): string[] {
  const reportTypes = [...new Set(given.map((type) => indexText(type)))];
  if (reportTypes.length > limits.reportTypesMax) {
    throw new Refusal("invalid_input", `a subscriber names at most ${limits.reportTypesMax} types of reports`);
  }
  return reportTypes;
}

/** As it is stored. */
export function listOf(json: string | null): string[] {
  return json === null ? [] : (JSON.parse(json) as string[]);
}
