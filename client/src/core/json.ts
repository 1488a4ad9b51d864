import { IntakeError } from "./errors.ts";
import { reasonOf } from "./redact.ts";

/**
 * Writes an object as JSON text. `replacer` is that of `JSON.stringify`. Throws {@link IntakeError} for any other value,
 * cycles, BigInt, and getters that throw.
 */
export function toJson(value: unknown, replacer?: (this: unknown, name: string, value: unknown) => unknown): string {
  let reason: unknown = "no object";
  try {
    const text = JSON.stringify(value, replacer);
    if (text?.[0] === "{") return text;
  } catch (error) {
    reason = error;
  }
  throw new IntakeError(`Not JSON: ${reasonOf(reason)}`);
}
