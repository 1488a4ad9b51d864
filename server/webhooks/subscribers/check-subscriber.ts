import { limits } from "../../../openapi/schema/limits.ts";
import { checkFields } from "../../core/check-fields.ts";
import { Refusal } from "../../core/context.ts";
import type { SomeFields } from "../../core/fields.ts";
import { requireName } from "../../core/names.ts";
import { indexText } from "../../envelope/index-envelope.ts";
import { AddressRefused, type SsrfGuard } from "../addresses/ssrf-guard.ts";
import type { MessageType } from "../messages/message-types.ts";
import { type SubscriberFields, subscriberFields } from "./subscriber-fields.ts";

/** The given fields as they are stored. Throws a {@link Refusal}, `invalid_input`, for the first that is not valid. */
export async function checkSubscriber<Given extends SomeFields<SubscriberFields>>(
  given: Given,
  addresses: SsrfGuard,
): Promise<Given> {
  const url = given.url === undefined ? {} : { url: await requireAddress(addresses, given.url) };
  return checkFields(subscriberFields, { ...given, ...url }, rules);
}

const rules = { name: requireName, types: requireTypes, reportTypes: requireReportTypes };

/** The name is looked up when the address is set, so that whoever set it notices a typing error. */
async function requireAddress(addresses: SsrfGuard, text: string): Promise<string> {
  if (text.length > limits.urlMax) {
    throw new Refusal("invalid_input", `the address must have at most ${limits.urlMax} characters`);
  }
  try {
    return (await addresses.resolve(text)).url.href;
  } catch (error) {
    if (error instanceof AddressRefused) throw new Refusal("invalid_input", error.message);
    throw error;
  }
}

/** Each type once; an empty list becomes the default. */
function requireTypes(given: readonly MessageType[]): MessageType[] {
  return given.length === 0 ? [...subscriberFields.types.default] : [...new Set(given)];
}

/** Each type once, cut like the indexed type of an envelope that it is compared with. */
function requireReportTypes(given: readonly string[]): string[] {
  return [...new Set(given.map((type) => indexText(type)))];
}

/**
 * The audit log is the organisation's: a receiver that was added for one project does not learn of the others. `projectId`
 * is null for a subscriber of every project.
 */
export function requireReach(projectId: string | null, types: readonly MessageType[]) {
  if (projectId === null || !types.includes("audit.recorded")) return;
  throw new Refusal("invalid_input", "audit.recorded is for subscribers of every project: add one for all projects");
}

/** The fields as the audit log has them: of an address only the origin, because path and query are often secrets. */
export function auditedFields(fields: SomeFields<SubscriberFields>): Record<string, unknown> {
  return fields.url === undefined ? fields : { ...fields, url: new URL(fields.url).origin };
}
