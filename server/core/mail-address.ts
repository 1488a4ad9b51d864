import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { isPlain } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "./context.ts";

/** No blank, no control character, and none of what separates or quotes addresses in a header. */
const address = /^[^\s\p{C}@<>()[\]\\,;:"]+@([^\s\p{C}@<>()[\]\\,;:"]+)$/u;
const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/** Whether mail can be sent to the address: it is one address, and nothing else in a header. */
export function isMailAddress(value: string): boolean {
  const domain = address.exec(value)?.[1];
  return domain !== undefined && value.length <= limits.emailMax && isPlain(value) && hostName.test(asciiOf(domain));
}

export function requireMailAddress(value: string): string {
  if (isMailAddress(value)) return value;
  throw new Refusal("invalid_input", "the value must be one e-mail address, such as intake@example.org");
}

/** A host name in lower case and ASCII, or an IP address. */
export function requireMailHost(value: string): string {
  const host = isIP(value) > 0 ? value : asciiOf(value);
  if (isIP(host) > 0 || hostName.test(host)) return host;
  throw new Refusal("invalid_input", "the value must be a host name or an IP address, without scheme and port");
}

/** One line of text. */
export function requireMailText(value: string): string {
  if (value.length <= limits.emailMax && isPlain(value) && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) return value;
  throw new Refusal("invalid_input", `the value must be one line of at most ${limits.emailMax} characters`);
}

/** `bücher.example` as DNS knows it: `xn--bcher-kva.example`; empty for what is no host name. */
export function asciiOf(domain: string): string {
  return domainToASCII(domain).toLowerCase();
}

/** What stands behind the @. */
export function domainOf(mailAddress: string): string {
  return mailAddress.slice(mailAddress.lastIndexOf("@") + 1);
}
