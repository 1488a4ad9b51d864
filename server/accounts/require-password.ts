import { longerThan } from "../../openapi/check.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { requirePlain } from "../core/names.ts";
import { isCommonPassword } from "./common-passwords.ts";

/** A new password is long enough and not among the first that guessers try; which characters it has does not matter. */
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
