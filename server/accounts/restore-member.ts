import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { type MemberLink, mailedLinkStep, mailTo } from "./invite-member.ts";
import type { LinkMailTools } from "./link-mail.ts";
import { anyPersonStep } from "./members.ts";
import { newLink } from "./new-link.ts";

/** Restores a removed member in the former role, with a link to choose a new password. */
export async function restoreMember({
  ctx,
  tools,
  input,
}: {
  ctx: Context;
  tools?: LinkMailTools;
  input: { id: string };
}): Promise<MemberLink> {
  requireAdmin(ctx);
  const { id } = input;
  const auditId = ctx.newId();
  const link = newLink(ctx, "invite");
  const mail = await mailTo(ctx, tools, link, id);
  const restored = await ctx.store.write(function* (tx) {
    const member = yield* anyPersonStep(tx, id);
    if (member.removed_at === null) throw new Refusal("conflict", "this member is active");
    yield* tx.run("update member set removed_at = null where id = $1", [id]);
    const restored = yield* mailedLinkStep(tx, ctx, id, link, mail);
    yield* audit(tx, ctx, auditId, "member.restore", `member ${id}`, { to: { role: member.role } });
    return restored;
  });
  ctx.changed?.({ kind: "member", id });
  return restored;
}
