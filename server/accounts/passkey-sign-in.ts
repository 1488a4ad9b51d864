import { audit } from "../core/audit.ts";
import { type Context, Refusal } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import type { Row, Step, Tx } from "../core/store.ts";
import type { Assertion } from "../factors/passkey-bodies.ts";
import { requireChallenge } from "../factors/passkey-challenge.ts";
import { usePasskeyStep, type VerifiedPasskey, verifyPasskey } from "../factors/verify-passkey.ts";
import { requirePasswordsCount } from "./password-sign-in.ts";
import { finishSecondStep, type SecondStep } from "./second-step.ts";
import { newSession, startSessionStep, type Visit } from "./session.ts";
import type { SignInTools } from "./sign-in.ts";

interface MemberRow extends Row {
  name: string;
  role: "admin" | "member";
}

/**
 * Signs in with a passkey: alone, or as the second factor of a sign-in that has begun with a password. Whatever is wrong
 * with it, the answer is the same.
 */
export async function signInWithPasskey({
  ctx,
  tools: { sealing, failed },
  input: { step, given, cookies, visit, former },
}: {
  ctx: Omit<Context, "actor">;
  tools: Pick<SignInTools, "sealing" | "failed">;
  input: {
    step: SecondStep | undefined;
    given: Assertion;
    cookies: readonly string[];
    visit: Visit;
    former: readonly string[];
  };
}): Promise<{ id: string; secret: string }> {
  await requirePasswordsCount(ctx.store);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  const purpose = step ? "second" : "sign-in";
  const challenge = requireChallenge(sealing, cookies, { purpose, of: step?.id ?? "", now });
  const passkey = await verifyPasskey(ctx, challenge, given);
  if (!passkey || (step && passkey.memberId !== step.member)) {
    failed.add(step?.member, ctx);
    throw notAccepted();
  }
  const session = newSession(ctx);
  const { memberId } = passkey;
  const signedIn = await ctx.store.write(function* (tx) {
    const member = yield* tx.one<MemberRow>(
      "select name, role from member where id = $1 and removed_at is null and role <> 'agent'",
      [memberId],
    );
    if (!member || !(yield* acceptPasskeyStep(tx, ctx, passkey, { auditId, now }))) return false;
    if (step) {
      yield* finishSecondStep(tx, ctx, step, { session, visit, former, auditId, now, second: "passkey" });
      return true;
    }
    for (const secret of former) yield* tx.run("delete from session where hash = $1", [hashOf(secret)]);
    yield* startSessionStep(tx, session, { memberId, visit, now, cutoff: ctx.cutoff, method: "passkey" });
    const actor = { kind: "member", id: memberId, name: member.name, role: member.role } as const;
    const to = { passkey: passkey.name };
    yield* audit(tx, { ...ctx, actor }, auditId, "session.create", `member ${memberId}`, { to });
    return true;
  });
  if (!signedIn) throw notAccepted();
  ctx.changed?.({ kind: "member", id: memberId });
  return session;
}

/** Uses a passkey that was verified. One whose count has gone back is refused, and the audit log says so. */
export function* acceptPasskeyStep(
  tx: Tx,
  ctx: Omit<Context, "actor">,
  passkey: VerifiedPasskey,
  { auditId, now }: { auditId: string; now: number },
): Step<boolean> {
  const used = yield* usePasskeyStep(tx, ctx, passkey, now);
  if (used === "copied") {
    const to = { reason: "the count of the passkey has gone back: there is a copy of it", passkey: passkey.name };
    const actor = { kind: "visitor", name: "not signed in" } as const;
    yield* audit(tx, { ...ctx, actor }, auditId, "session.refuse", `member ${passkey.memberId}`, { to });
  }
  return used === "used";
}

export function notAccepted(): Refusal {
  return new Refusal("wrong_factor", "This passkey was not accepted. Try again, or sign in in another way.");
}
