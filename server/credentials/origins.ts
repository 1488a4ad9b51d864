import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";

/** The origins in the form in which browsers send them, each once. */
export function requireOrigins(given: readonly string[]): string[] {
  return [...new Set(given.map(requireOrigin))];
}

/** An origin in the form in which browsers send it: scheme, host and port, without a path. */
function requireOrigin(text: string): string {
  if (text.length > limits.urlMax) {
    throw new Refusal("invalid_input", `an origin must have at most ${limits.urlMax} characters`);
  }
  const url = URL.parse(text);
  // Apps in a web view have schemes of their own, whose origin URL does not know.
  const origin = url && (url.origin === "null" ? `${url.protocol}//${url.host}` : url.origin);
  if (text.includes("*")) throw new Refusal("invalid_input", "an origin has no wildcard; repeat the flag for several");
  if (!url || url.host === "" || url.pathname.length > 1 || url.search || url.hash || url.username || url.password) {
    throw new Refusal("invalid_input", "an origin must look like https://shop.example.org, without a path");
  }
  return (origin as string).toLowerCase();
}

/** Whether a page of this origin may use a key. Apps send no origin, so a request without one passes. */
export function allowsOrigin(allowed: string | null, origin: string | null): boolean {
  if (allowed === null || origin === null) return true;
  return (JSON.parse(allowed) as string[]).includes(origin.toLowerCase());
}
