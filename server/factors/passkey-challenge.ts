import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import { openState, sealState } from "../core/sealed-state.ts";
import type { Sealing } from "../core/sealing.ts";
import type { RelyingParty } from "./relying-party.ts";

/** What a passkey is asked to sign, in a cookie of the browser that asked for it. */
export interface Challenge {
  purpose: "sign-in" | "second" | "confirm" | "enrol";
  challenge: string;
  party: RelyingParty;
  /** The session, or the sign-in that waits for its second factor; empty for a sign-in with the passkey alone. */
  of: string;
  until: number;
}

/** The cookie that holds a challenge. */
export const challengeCookie = "intake-passkey";
export const challengeSeconds = limits.passkeyMinutes * 60;

const about = "challenge for a passkey";

export function newChallenge(
  sealing: Sealing,
  { now, ...begun }: Pick<Challenge, "purpose" | "party" | "of"> & { now: number },
): { challenge: string; cookie: string } {
  const challenge = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  const value: Challenge = { ...begun, challenge, until: now + challengeSeconds * 1_000 };
  return { challenge, cookie: sealState(sealing, about, value) };
}

/** The challenge that this browser was given for this purpose, sign-in or session. Throws without one. */
export function requireChallenge(
  sealing: Sealing,
  cookies: readonly string[],
  { now, purpose, of }: Pick<Challenge, "purpose" | "of"> & { now: number },
): Challenge {
  const found = openState<Challenge>(sealing, about, cookies, now);
  if (found?.purpose !== purpose || found.of !== of) {
    throw new Refusal("wrong_factor", "This took too long, or was begun elsewhere. Try again.");
  }
  return found;
}

/** What a challenge is called in the list of things that count once. */
export const challengeOnce = ({ challenge }: Challenge) => `passkey challenge ${challenge}`;
