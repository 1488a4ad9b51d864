import { limits } from "../../openapi/schema/limits.ts";
import { type Actor, Refusal } from "./context.ts";

/** The session of a person who is signed in. */
export interface Session {
  id: string;
  /** SHA-256 of the cookie's value. */
  hash: string;
  member: Extract<Actor, { kind: "member" }>;
  /** When the password was last given, in epoch milliseconds. */
  passwordAt: number;
}

/**
 * Throws unless the password was given within the last hour: whoever finds an open page must not be able to do harm.
 */
export function requireRecentPassword({ passwordAt }: Session, now: number) {
  if (now - passwordAt > limits.passwordMinutes * 60_000) throw new Refusal("password_required");
}
