import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { Sealing } from "../core/sealing.ts";
import type { Session } from "../core/session.ts";
import type { Step, Tx } from "../core/store.ts";
import { queueMail } from "../mail/new-mail.ts";
import { factorMail } from "./factor-mail.ts";
import { canSignIn, hasSecondFactor, lacksFactor, ownFactorsStep } from "./own-factors.ts";

/** Removes the authenticator app, or a passkey of the member. The last way to sign in cannot be removed. */
export async function removeFactor({
  ctx,
  tools: { sealing },
  input: { session, passkey },
}: {
  ctx: Context;
  tools: { sealing: Sealing };
  /** Without a passkey the app is removed. */
  input: { session: Session; passkey?: string };
}): Promise<{ removed: string }> {
  requireMember(ctx);
  const auditId = ctx.newId();
  const { id } = session.member;
  const what = passkey === undefined ? "The authenticator app" : "A passkey";
  const mail = await factorMail(ctx, sealing, id, `${what} was removed from your account.`);
  await ctx.store.write(function* (tx) {
    const from = passkey === undefined ? yield* removeAppStep(tx, id) : yield* removePasskeyStep(tx, id, passkey);
    yield* requireWayInStep(tx, id);
    // Without a second factor there is nothing that a recovery code could take the place of.
    if (!hasSecondFactor(yield* ownFactorsStep(tx, id))) {
      yield* tx.run("delete from recovery_code where member_id = $1", [id]);
    }
    yield* audit(tx, ctx, auditId, "member.remove_factor", `member ${id}`, { from });
    if (mail) yield* queueMail(tx, mail);
  });
  ctx.changed?.({ kind: "member", id });
  return { removed: passkey ?? "app" };
}

function* removeAppStep(tx: Tx, memberId: string): Step<object> {
  const gone = yield* tx.one("delete from totp where member_id = $1 returning member_id", [memberId]);
  if (!gone) throw new Refusal("not_found");
  return { factor: "authenticator app" };
}

function* removePasskeyStep(tx: Tx, memberId: string, passkey: string): Step<object> {
  const gone = yield* tx.one<{ name: string }>("delete from passkey where id = $1 and member_id = $2 returning name", [
    passkey,
    memberId,
  ]);
  if (!gone) throw new Refusal("not_found");
  return { factor: "passkey", name: gone.name };
}

function* requireWayInStep(tx: Tx, memberId: string): Step<void> {
  const row = yield* tx.one<{ way: number; lacks: number }>(
    `select case when ${canSignIn} then 1 else 0 end as way, case when ${lacksFactor} then 1 else 0 end as lacks
     from member m where id = $1`,
    [memberId],
  );
  if (row?.way !== 1) throw new Refusal("conflict", "You could not sign in without it. Choose a password first.");
  if (row.lacks === 1) {
    throw new Refusal("conflict", "Admins need a second factor here. Add another one before you remove this one.");
  }
}
