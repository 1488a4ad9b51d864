import { longerThan } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { checkFields, type FieldRules } from "../core/check-fields.ts";
import { Refusal } from "../core/context.ts";
import type { SomeFields } from "../core/fields.ts";
import { requirePlain } from "../core/names.ts";
import { AddressRefused, type SsrfGuard } from "../webhooks/addresses/ssrf-guard.ts";
import { type ProviderFields, providerFields } from "./provider-fields.ts";

/** The given fields as they are stored. Throws a {@link Refusal}, `invalid_input`, for the first that is not valid. */
export function checkProvider<Given extends SomeFields<ProviderFields>>(given: Given, addresses: SsrfGuard): Given {
  return checkFields(providerFields, given, { ...providerRules, issuer: (text) => requireIssuer(text, addresses) });
}

export const providerRules: FieldRules<ProviderFields> = {
  id: requireProviderId,
  adminGroups: requireGroups,
  memberGroups: requireGroups,
  domains: requireDomains,
};

function requireProviderId(id: string): string {
  if (/^[a-z0-9](-?[a-z0-9])*$/.test(id) && id.length <= limits.providerIdMax) return id;
  throw invalid(
    `the short name must have 1 to ${limits.providerIdMax} small letters and digits, with single dashes between them`,
  );
}

/** As it is written: the tokens of the provider name it letter by letter, with or without a slash at the end. */
function requireIssuer(text: string, addresses: SsrfGuard): string {
  if (text.length > limits.urlMax || /[?#]/.test(text)) throw invalid("the issuer must be an address without ? and #");
  try {
    addresses.check(text);
    return text;
  } catch (error) {
    if (error instanceof AddressRefused) throw invalid(error.message);
    throw error;
  }
}

function requireGroups(groups: string[]): string[] {
  for (const group of groups) {
    if (group.trim() === "" || longerThan(requirePlain(group), limits.clientIdMax)) {
      throw invalid(`a group must have 1 to ${limits.clientIdMax} characters`);
    }
  }
  return [...new Set(groups)];
}

function requireDomains(domains: string[]): string[] {
  const lower = domains.map((domain) => domain.trim().toLowerCase().replace(/^@/, ""));
  if (lower.some((domain) => domain.length > limits.emailMax || !/^[^\s@.]+(\.[^\s@.]+)+$/.test(domain))) {
    throw invalid("a domain must look like example.org");
  }
  return [...new Set(lower)];
}

function invalid(message: string): Refusal {
  return new Refusal("invalid_input", message);
}
