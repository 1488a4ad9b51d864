import { IntakeError } from "./errors.ts";

/** An address without the slashes at its end. Throws {@link IntakeError} unless it is one of http or https, without a password. */
export function requireBaseUrl(name: string, given: unknown): string {
  const value = String(given);
  if (/^https?:\/\/[^\s?#@/][^\s?#@]*$/.test(value)) return value.replace(/\/+$/, "");
  throw new IntakeError(`${name} must be like https://host/path.`);
}
