import { anotherAdminStep, anyPersonStep } from "../accounts/members.ts";
import { audit } from "../core/audit.ts";
import { type Context, requireAdmin } from "../core/context.ts";
import { unlinkStep } from "./unlink.ts";

/**
 * Unlinks somebody else from a provider: when the wrong person was linked, or the account there is in other hands. Who
 * has no other way in then needs a link from an admin; the only admin who can sign in cannot be left without one.
 */
export async function unlinkMember({
  ctx,
  input: { id, provider },
}: {
  ctx: Context;
  input: { id: string; provider: string };
}): Promise<{ id: string; provider: string; ended: number }> {
  requireAdmin(ctx);
  const auditId = ctx.newId();
  const ended = await ctx.store.write(function* (tx) {
    const member = yield* anyPersonStep(tx, id);
    const others = yield* tx.one(
      `select issuer from identity
       where member_id = $1 and issuer <> (select issuer from provider where id = $2) limit 1`,
      [id, provider],
    );
    const passkey = yield* tx.one("select id from passkey where member_id = $1 limit 1", [id]);
    const hasOther = member.password_hash !== null || passkey !== undefined || others !== undefined;
    if (!hasOther && member.removed_at === null) yield* anotherAdminStep(tx, member);
    const { from, ended } = yield* unlinkStep(tx, { memberId: id, provider });
    yield* audit(tx, ctx, auditId, "member.unlink", `member ${id}`, { from, to: { ended } });
    return ended;
  });
  ctx.changed?.({ kind: "member", id });
  return { id, provider, ended };
}
