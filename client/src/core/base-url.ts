import { IntakeError } from "./errors.ts";

/**
 * Returns `given` without trailing slashes. Throws {@link IntakeError} unless it is an http or https URL without
 * credentials, query and fragment; `name` is the option that the error names.
 */
export function requireBaseUrl(name: string, given: unknown): string {
  const url = String(given).replace(/\/+$/, "");
  if (/^https?:\/\/[^\s?#@/][^\s?#@]*$/.test(url)) return url;
  throw new IntakeError(`${name} must be like https://host/path.`);
}
