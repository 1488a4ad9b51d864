import { isPlain, longerThan } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "./context.ts";

/** A name for people: 1 to 80 code points, not blank. It need not be unique. */
export function requireName(name: string): string {
  if (name.trim() === "") throw new Refusal("invalid_input", "a name must not be blank");
  if (longerThan(name, limits.nameMax)) {
    throw new Refusal("invalid_input", `a name must have at most ${limits.nameMax} characters`);
  }
  return requirePlain(name);
}

/**
 * Reads an e-mail address into the one form in which it is stored (lower case), so that a person is not added twice.
 */
export function requireEmail(email: string): string {
  if (email.length > limits.emailMax || !/^[^\s@]+@[^\s@]+$/.test(email)) {
    throw new Refusal("invalid_input", "an e-mail address must look like name@example.org");
  }
  return requirePlain(email).toLowerCase();
}

export function requirePlain(text: string): string {
  if (!isPlain(text)) {
    throw new Refusal("invalid_input", "text must not contain U+0000 or half of a surrogate pair");
  }
  return text;
}
