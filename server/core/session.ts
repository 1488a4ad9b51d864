import { limits } from "../../openapi/schema/limits.ts";
import { type Actor, Refusal } from "./context.ts";

/** How a session can have begun. */
export type SignInMethod = "password" | "provider" | "passkey" | "link" | "proxy";

/** Whom an access proxy names; `unclear` when that is not one e-mail address. */
export type ProxyPerson = { email: string } | "unclear";

/** The session of a person who is signed in. */
export interface Session {
  id: string;
  /** SHA-256 of the cookie's value. */
  hash: string;
  member: Extract<Actor, { kind: "member" }>;
  method: SignInMethod | null;
  /** When the member last proved who they are, with a password or otherwise, in epoch milliseconds. */
  passwordAt: number;
  /**
   * An admin of whom a second factor is required and who has none: only calls that lead to one are answered. A session
   * that began at an identity provider or an access proxy is never one of these: they decide how people prove who they are.
   */
  mustEnrol: boolean;
}

/**
 * Throws unless the password was given within the last hour: whoever finds an open page must not be able to do harm.
 */
export function requireRecentPassword({ passwordAt }: Session, now: number) {
  if (now - passwordAt > limits.passwordMinutes * 60_000) throw new Refusal("password_required");
}
