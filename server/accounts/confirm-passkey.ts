import { limits } from "../../openapi/schema/limits.ts";
import { audit } from "../core/audit.ts";
import { type Context, requireMember } from "../core/context.ts";
import type { Session } from "../core/session.ts";
import type { Assertion } from "../factors/passkey-bodies.ts";
import { requireChallenge } from "../factors/passkey-challenge.ts";
import { verifyPasskey } from "../factors/verify-passkey.ts";
import { acceptPasskeyStep, notAccepted } from "./passkey-sign-in.ts";
import type { SignInTools } from "./sign-in.ts";

/** A signed-in member proves with an own passkey who they are; for an hour, sensitive calls then do not ask. */
export async function confirmPasskey({
  ctx,
  tools: { sealing, failed },
  input: { session, given, cookies },
}: {
  ctx: Context;
  tools: Pick<SignInTools, "sealing" | "failed">;
  input: { session: Session; given: Assertion; cookies: readonly string[] };
}): Promise<{ until: string }> {
  requireMember(ctx);
  const [auditId, refusedId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const challenge = requireChallenge(sealing, cookies, { purpose: "confirm", of: session.id, now });
  const { id } = session.member;
  const passkey = await verifyPasskey(ctx, challenge, given);
  const confirmed = await ctx.store.write(function* (tx) {
    if (passkey?.memberId !== id) return false;
    if (!(yield* acceptPasskeyStep(tx, ctx, passkey, { auditId: refusedId, now }))) return false;
    yield* tx.run("update session set password_at = $2 where id = $1", [session.id, now]);
    yield* audit(tx, ctx, auditId, "session.confirm", `member ${id}`, { to: { passkey: passkey.name } });
    return true;
  });
  if (!confirmed) {
    failed.add(id, ctx);
    throw notAccepted();
  }
  return { until: new Date(now + limits.passwordMinutes * 60_000).toISOString() };
}
