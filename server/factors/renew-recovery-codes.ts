import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { Sealing } from "../core/sealing.ts";
import type { Session } from "../core/session.ts";
import { queueMail } from "../mail/new-mail.ts";
import { factorMail } from "./factor-mail.ts";
import { hasSecondFactor, ownFactorsStep } from "./own-factors.ts";
import { newRecoveryCodes, storeRecoveryCodesStep } from "./recovery-codes.ts";

/** Makes new recovery codes; those from before count no more. Only this answer contains them. */
export async function renewRecoveryCodes({
  ctx,
  tools: { sealing },
  input: { session },
}: {
  ctx: Context;
  tools: { sealing: Sealing };
  input: { session: Session };
}): Promise<{ recoveryCodes: string[] }> {
  requireMember(ctx);
  const auditId = ctx.newId();
  const { id } = session.member;
  const codes = newRecoveryCodes();
  const mail = await factorMail(
    ctx,
    sealing,
    id,
    "New recovery codes were made for your account. The former ones are void.",
  );
  await ctx.store.write(function* (tx) {
    if (!hasSecondFactor(yield* ownFactorsStep(tx, id))) {
      throw new Refusal("conflict", "Add a passkey or an authenticator app first.");
    }
    yield* storeRecoveryCodesStep(tx, id, codes);
    yield* audit(tx, ctx, auditId, "member.renew_recovery_codes", `member ${id}`);
    if (mail) yield* queueMail(tx, mail);
  });
  return { recoveryCodes: codes };
}
