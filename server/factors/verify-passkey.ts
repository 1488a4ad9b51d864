import type { Context } from "../core/context.ts";
import { useOnceStep } from "../core/once.ts";
import type { Row, Step, Tx } from "../core/store.ts";
import type { Assertion } from "./passkey-bodies.ts";
import { type Challenge, challengeOnce } from "./passkey-challenge.ts";
import { userHandle } from "./passkey-options.ts";

interface PasskeyRow extends Row {
  id: string;
  member_id: string;
  public_key: Uint8Array<ArrayBuffer>;
  name: string;
}

/** A passkey that has signed a challenge. */
export interface VerifiedPasskey {
  id: string;
  name: string;
  memberId: string;
  counter: number;
  challenge: Challenge;
}

/**
 * Checks what a passkey has signed: the challenge, the origin and the host name. Undefined for an unknown passkey and a
 * wrong signature alike. Nothing is written yet: {@link usePasskeyStep} has to follow.
 */
export async function verifyPasskey(
  { store }: Pick<Context, "store">,
  challenge: Challenge,
  given: Assertion,
): Promise<VerifiedPasskey | undefined> {
  const row = await store.one<PasskeyRow>(
    "select id, member_id, public_key, name from passkey where credential_id = $1",
    [given.id],
  );
  if (!row) return undefined;
  // A passkey that is found without a name brings the member; one that was asked for by its id need not.
  const isOwners =
    given.userHandle === undefined ? challenge.purpose !== "sign-in" : given.userHandle === userHandle(row.member_id);
  if (!isOwners) return undefined;
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const { id, clientDataJSON, authenticatorData, signature, userHandle: user } = given;
  const done = await verifyAuthenticationResponse({
    response: {
      ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
      response: { clientDataJSON, authenticatorData, signature, ...(user === undefined ? {} : { userHandle: user }) },
    },
    expectedChallenge: challenge.challenge,
    expectedOrigin: challenge.party.origin,
    expectedRPID: challenge.party.id,
    // The count is compared once the signature is known to be the passkey's, and with the row as it is then.
    credential: { id, publicKey: row.public_key, counter: 0 },
    // After a password the passkey need not ask for a finger or a PIN; alone it has to.
    requireUserVerification: challenge.purpose !== "second",
  }).catch(() => undefined);
  if (!done?.verified) return undefined;
  const counter = done.authenticationInfo.newCounter;
  return { id: row.id, name: row.name, memberId: row.member_id, counter, challenge };
}

/**
 * Uses up the challenge and keeps the passkey's count. `stale`: the challenge was used before, or the passkey is removed;
 * `copied`: the count has gone back, so that somebody else has a copy of the passkey.
 */
export function* usePasskeyStep(
  tx: Tx,
  { cutoff }: Pick<Context, "cutoff">,
  { id, counter, challenge }: VerifiedPasskey,
  now: number,
): Step<"used" | "stale" | "copied"> {
  const fresh = yield* useOnceStep(tx, challengeOnce(challenge), { until: challenge.until, now, cutoff });
  const row = yield* tx.one<{ counter: number }>("select counter from passkey where id = $1", [id]);
  if (!fresh || !row) return "stale";
  // Authenticators that do not count always say 0.
  const kept = yield* tx.one(
    `update passkey set counter = $2, used_at = $3 where id = $1 and (counter < $2 or (counter = 0 and $2 = 0))
     returning id`,
    [id, counter, now],
  );
  return kept === undefined ? "copied" : "used";
}
