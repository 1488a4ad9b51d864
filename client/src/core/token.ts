import { requireCredential } from "./credential.ts";
import { IntakeError } from "./errors.ts";
import { reasonOf } from "./redact.ts";

/** An API token, or a function that gives one, asked at every try. */
export type Token = string | (() => string | Promise<string>);

/** The token, or a function that gives one that has been checked. Throws {@link IntakeError} for what is none. */
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
