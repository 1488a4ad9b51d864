import { audit } from "../core/audit.ts";
import { checkFields, type FieldRules } from "../core/check-fields.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import type { NewFields } from "../core/fields.ts";
import { requireEmail } from "../core/names.ts";
import { type MemberLink, mailedLinkStep } from "./invite-member.ts";
import { type LinkMailTools, linkMail } from "./link-mail.ts";
import { type MemberFields, memberFields } from "./member-fields.ts";
import { newLink } from "./new-link.ts";

export const memberRules: FieldRules<MemberFields> = { email: requireEmail };

/** Adds a person and makes the link with which they choose a password. */
export async function addMember({
  ctx,
  tools,
  input,
}: {
  ctx: Context;
  tools?: LinkMailTools;
  input: NewFields<MemberFields>;
}): Promise<MemberLink> {
  requireAdmin(ctx);
  const { email, name, role } = checkFields(memberFields, input, memberRules);
  const [id, auditId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const link = newLink(ctx, "invite");
  const mail = await linkMail(ctx, tools, link, { member: { email, name }, reason: "invite" });

  const added = await ctx.store.write(function* (tx) {
    const made = yield* tx.one<{ id: string }>(
      `insert into member (id, email, name, role, created_at) values ($1, $2, $3, $4, $5)
       on conflict (email) do update set name = excluded.name, role = excluded.role, removed_at = null
         where member.removed_at is not null
       returning id`,
      [id, email, name, role, now],
    );
    if (!made) throw new Refusal("conflict", `${email} is a member already`);
    const added = yield* mailedLinkStep(tx, ctx, made.id, link, mail);
    yield* audit(tx, ctx, auditId, "member.add", `member ${made.id}`, { to: { email, name, role } });
    return added;
  });
  ctx.changed?.({ kind: "member", id: added.id });
  return added;
}
