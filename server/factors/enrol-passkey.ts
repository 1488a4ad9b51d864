import { limits } from "../../openapi/schema/limits.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import { requireName } from "../core/names.ts";
import { useOnceStep } from "../core/once.ts";
import type { Sealing } from "../core/sealing.ts";
import type { Session } from "../core/session.ts";
import { queueMail } from "../mail/new-mail.ts";
import { factorMail } from "./factor-mail.ts";
import { ownFactorsStep } from "./own-factors.ts";
import type { Registration } from "./passkey-bodies.ts";
import { challengeOnce, newChallenge, requireChallenge } from "./passkey-challenge.ts";
import { algorithms, creationOptions, descriptorsOf } from "./passkey-options.ts";
import { newRecoveryCodes, storeRecoveryCodesStep } from "./recovery-codes.ts";
import type { RelyingParty } from "./relying-party.ts";

interface Tools {
  sealing: Sealing;
}

/** Begins to enrol a passkey: what the browser needs to make it, and the cookie that binds the answer to the session. */
export async function beginPasskey({
  ctx,
  tools: { sealing },
  input: { session, party },
}: {
  ctx: Context;
  tools: Tools;
  input: { session: Session; party: RelyingParty };
}): Promise<{ options: ReturnType<typeof creationOptions>; cookie: string }> {
  requireMember(ctx);
  const { id, name } = session.member;
  const [row, excluded] = await Promise.all([
    ctx.store.one<{ email: string | null }>("select email from member where id = $1", [id]),
    descriptorsOf(ctx.store, id),
  ]);
  const { challenge, cookie } = newChallenge(sealing, { purpose: "enrol", party, of: session.id, now: ctx.now() });
  return {
    options: creationOptions(challenge, party, { member: { id, name, email: row?.email ?? name }, excluded }),
    cookie,
  };
}

/** Stores the passkey that the browser has made. Recovery codes come with the first factor of a member, this once. */
export async function enrolPasskey({
  ctx,
  tools: { sealing },
  input: { session, made, cookies, ...input },
}: {
  ctx: Context;
  tools: Tools;
  input: { session: Session; name: string; made: Registration; cookies: readonly string[] };
}): Promise<{ id: string; recoveryCodes: string[] | null }> {
  requireMember(ctx);
  const name = requireName(input.name);
  const [id, auditId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const memberId = session.member.id;
  const begun = requireChallenge(sealing, cookies, { purpose: "enrol", of: session.id, now });
  const { id: credentialId, publicKey, counter } = await verified(made, begun);
  const codes = newRecoveryCodes();
  const mail = await factorMail(ctx, sealing, memberId, `The passkey “${name}” was added to your account.`);
  const isFirst = await ctx.store.write(function* (tx) {
    if (!(yield* useOnceStep(tx, challengeOnce(begun), { until: begun.until, now, cutoff: ctx.cutoff }))) {
      throw new Refusal("wrong_factor", "This was used already. Try again.");
    }
    const { passkeys, recoveryCodes } = yield* ownFactorsStep(tx, memberId);
    if (passkeys >= limits.passkeysMax) {
      throw new Refusal("conflict", `You have ${limits.passkeysMax} passkeys already. Remove one first.`);
    }
    const stored = yield* tx.one(
      `insert into passkey (id, member_id, credential_id, public_key, counter, transports, name, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (credential_id) do nothing returning id`,
      [id, memberId, credentialId, publicKey, counter, JSON.stringify(made.transports), name, now],
    );
    if (!stored) throw new Refusal("conflict", "This passkey is there already.");
    if (recoveryCodes === 0) yield* storeRecoveryCodesStep(tx, memberId, codes);
    yield* audit(tx, ctx, auditId, "member.add_factor", `member ${memberId}`, { to: { factor: "passkey", name } });
    if (mail) yield* queueMail(tx, mail);
    return recoveryCodes === 0;
  });
  ctx.changed?.({ kind: "member", id: memberId });
  return { id, recoveryCodes: isFirst ? codes : null };
}

async function verified(
  { id, clientDataJSON, attestationObject }: Registration,
  begun: { challenge: string; party: RelyingParty },
) {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const { registrationInfo } = await verifyRegistrationResponse({
    response: {
      ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
      response: { clientDataJSON, attestationObject },
    },
    expectedChallenge: begun.challenge,
    expectedOrigin: begun.party.origin,
    expectedRPID: begun.party.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => ({ registrationInfo: undefined }));
  if (!registrationInfo)
    throw new Refusal("wrong_factor", "What the browser gave is no passkey for this installation.");
  return registrationInfo.credential;
}
