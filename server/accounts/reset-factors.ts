import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import type { Sealing } from "../core/sealing.ts";
import { factorMail } from "../factors/factor-mail.ts";
import { deleteFactorsStep, ownFactorsStep } from "../factors/own-factors.ts";
import { queueMail } from "../mail/new-mail.ts";
import { personStep } from "./members.ts";

/**
 * Takes passkeys, authenticator app and recovery codes away from a member who has lost them, and ends every session of
 * the member. The password stays.
 */
export async function resetFactors({
  ctx,
  tools: { sealing },
  input: { id },
}: {
  ctx: Context;
  tools: { sealing: Sealing };
  input: { id: string };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  if (ctx.actor.kind === "member" && ctx.actor.id === id) {
    throw new Refusal("conflict", "Remove your own factors in your profile.");
  }
  const auditId = ctx.newId();
  const what = "An admin has taken the passkeys, authenticator app and recovery codes away from your account.";
  const mail = await factorMail(ctx, sealing, id, what);
  await ctx.store.write(function* (tx) {
    yield* personStep(tx, id);
    const { app, passkeys } = yield* ownFactorsStep(tx, id);
    yield* deleteFactorsStep(tx, id);
    yield* tx.run("delete from session where member_id = $1", [id]);
    yield* audit(tx, ctx, auditId, "member.reset_factors", `member ${id}`, { from: { app: app !== "no", passkeys } });
    if (mail) yield* queueMail(tx, mail);
  });
  ctx.changed?.({ kind: "member", id });
  return { id };
}
