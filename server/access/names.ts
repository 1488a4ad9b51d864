import { isPlain, longerThan } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { isCommonPassword } from "./common-passwords.ts";
import { Refusal } from "./context.ts";

/** A name for people: 1 to 80 code points, not blank. It need not be unique. */
export function requireName(name: string): string {
  if (name.trim() === "") throw new Refusal("invalid_input", "a name must not be blank");
  if (longerThan(name, limits.nameMax)) {
    throw new Refusal("invalid_input", `a name must have at most ${limits.nameMax} characters`);
  }
  return requirePlain(name);
}

/** Stored in one form, so that one person cannot be added twice. */
export function requireEmail(email: string): string {
  if (email.length > limits.emailMax || !/^[^\s@]+@[^\s@]+$/.test(email)) {
    throw new Refusal("invalid_input", "an e-mail address must look like name@example.org");
  }
  return requirePlain(email).toLowerCase();
}

/** A new one: long enough and not what guessers try first; what it is made of is nobody's business. */
export function requirePassword(password: string, email?: string | null): string {
  const { passwordMin, passwordMax } = limits;
  if (!longerThan(password, passwordMin - 1) || longerThan(password, passwordMax)) {
    throw new Refusal("invalid_input", `a password must have ${passwordMin} to ${passwordMax} characters`);
  }
  if (password.trim().toLowerCase() === email?.toLowerCase()) {
    throw new Refusal("invalid_input", "a password must not be the e-mail address");
  }
  if (isCommonPassword(password)) {
    throw new Refusal("invalid_input", "this password is one of the first that guessers try; choose another");
  }
  return requirePlain(password);
}

function requirePlain(text: string): string {
  if (!isPlain(text)) {
    throw new Refusal("invalid_input", "text must not contain U+0000 or half of a surrogate pair");
  }
  return text;
}
