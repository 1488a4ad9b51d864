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
  return typeof token === "function" ? () => tokenFrom(token) : requireCredential("itk", token);
}

async function tokenFrom(token: () => string | Promise<string>): Promise<string> {
  let value: unknown;
  try {
    value = await token();
  } catch (error) {
    throw new IntakeError(`token() failed: ${reasonOf(error)}`);
  }
  return requireCredential("itk", value);
}
