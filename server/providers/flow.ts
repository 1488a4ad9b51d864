import { limits } from "../../openapi/schema/limits.ts";
import { openState, sealState } from "../core/sealed-state.ts";
import type { Sealing } from "../core/sealing.ts";

/** What a sign-in that has begun is for. */
export type Purpose =
  | "sign-in"
  /** A member who is signed in links the account to a person at the provider. */
  | "link"
  /** A member who is signed in proves again who they are, before what could do harm. */
  | "confirm"
  /** An admin looks at what the provider tells. */
  | "try";

/**
 * A sign-in that has begun, in a cookie of the browser that began it. It is sealed, so that any process of the
 * installation can finish it, nothing is stored for strangers, and nobody can make one.
 */
export interface Flow {
  purpose: Purpose;
  provider: string;
  state: string;
  nonce: string;
  verifier: string;
  /** The path to which the sign-in leads. */
  next: string;
  /** Who is signed in, for all but a sign-in. */
  member?: string | undefined;
  until: number;
}

/** Somebody at a provider whose e-mail address is that of an admin: linked once the admin's password was given. */
export interface PendingLink {
  provider: string;
  issuer: string;
  subject: string;
  member: string;
  until: number;
}

export const flowMilliseconds = limits.providerMinutes * 60_000;

/** The cookies of sign-ins with a provider, by what they contain. */
export const cookieNames = { flow: "intake-sign-in", pending: "intake-link", tried: "intake-tried" } as const;
type Kind = keyof typeof cookieNames;

export function sealInto(sealing: Sealing, kind: Kind, value: { until: number }): string {
  return sealState(sealing, `cookie ${kind}`, value);
}

/** The value of the first cookie that was sealed here for this purpose and is not too old; undefined without one. */
export function openFrom<T extends { until: number }>(
  sealing: Sealing,
  kind: Kind,
  cookies: readonly string[],
  now: number,
): T | undefined {
  return openState<T>(sealing, `cookie ${kind}`, cookies, now);
}
