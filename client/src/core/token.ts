import { requireCredential } from "./credential.ts";
import { IntakeError } from "./errors.ts";
import { reasonOf } from "./redact.ts";

/** An API token, or a function that returns one and is called at every try. */
type Token = string | (() => string | Promise<string>);

/**
 * Checks a token at once, or wraps the function so that each token which it returns is checked. Throws
 * {@link IntakeError} for anything that is no API token.
 */
export function requireToken(token: Token): string | (() => Promise<string>) {
  if (typeof token !== "function") return requireCredential("itk", token);
  return async () => {
    try {
      return requireCredential("itk", await token());
    } catch (error) {
      throw new IntakeError(`token() failed: ${reasonOf(error)}`);
    }
  };
}
