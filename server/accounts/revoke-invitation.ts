import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { personStep } from "./members.ts";

/** Voids a member's link. A person who has never joined is removed with it. */
export async function revokeInvitation({
  ctx,
  input: { id },
}: {
  ctx: Context;
  input: { id: string };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  await ctx.store.write(function* (tx) {
    const member = yield* personStep(tx, id);
    const links = yield* tx.all("delete from invitation where member_id = $1 returning hash", [id]);
    if (links.length === 0 && member.joined_at !== null) throw new Refusal("conflict", "there is no link to revoke");
    if (member.joined_at === null) yield* tx.run("update member set removed_at = $2 where id = $1", [id, now]);
    yield* audit(tx, ctx, auditId, "member.revoke_invitation", `member ${id}`);
  });
  ctx.changed?.({ kind: "member", id });
  return { id };
}
