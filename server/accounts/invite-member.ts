import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { hashOf } from "../core/credential.ts";
import { publicUrlStep } from "../core/settings.ts";
import type { Step, Tx } from "../core/store.ts";
import { type NewMail, queueMail } from "../mail/new-mail.ts";
import { type LinkMailTools, linkMail } from "./link-mail.ts";
import { personStep } from "./members.ts";
import { linkPath, type NewLink, newLink } from "./new-link.ts";

/** A link with which a member chooses a password. Only this answer contains the link. */
export interface MemberLink {
  id: string;
  inviteUrl: string;
  /** The link can be used once, until this time. */
  until: string;
  /** Whether the member is mailed the link too. */
  mailed: boolean;
}

/**
 * Makes a link to choose a password; links made before become void. An invitation lasts 7 days. A reset lasts 30
 * minutes; it also voids the present password and ends every session of the member.
 */
export async function inviteMember({
  ctx,
  tools,
  input,
}: {
  ctx: Context;
  tools?: LinkMailTools;
  input: { id: string; reset: boolean };
}): Promise<MemberLink> {
  requireAdmin(ctx);
  const { id, reset } = input;
  if (reset && ctx.actor.kind === "member" && ctx.actor.id === id) {
    throw new Refusal("conflict", "Change your own password in your profile.");
  }
  const auditId = ctx.newId();
  const link = newLink(ctx, reset ? "reset" : "invite");
  const mail = await mailTo(ctx, tools, link, id);
  const made = await ctx.store.write(function* (tx) {
    yield* personStep(tx, id);
    if (reset) {
      yield* tx.run("update member set password_hash = null where id = $1", [id]);
      yield* tx.run("delete from session where member_id = $1", [id]);
    }
    const made = yield* mailedLinkStep(tx, ctx, id, link, mail);
    yield* audit(tx, ctx, auditId, reset ? "member.reset_password" : "member.invite", `member ${id}`);
    return made;
  });
  ctx.changed?.({ kind: "member", id });
  return made;
}

export function* linkStep(
  tx: Tx,
  ctx: Pick<Context, "publicUrl">,
  memberId: string,
  link: NewLink,
): Step<Omit<MemberLink, "mailed">> {
  const { kind, secret, createdAt, until } = link;
  yield* tx.run("delete from invitation where member_id = $1", [memberId]);
  yield* tx.run("insert into invitation (hash, member_id, created_at, expires_at, kind) values ($1, $2, $3, $4, $5)", [
    hashOf(secret),
    memberId,
    createdAt,
    until,
    kind,
  ]);
  const inviteUrl = (yield* publicUrlStep(tx, ctx.publicUrl)) + linkPath(link);
  return { id: memberId, inviteUrl, until: new Date(until).toISOString() };
}

/** As {@link linkStep}, with the mail that brings the link, where there is one. */
export function* mailedLinkStep(
  tx: Tx,
  ctx: Pick<Context, "publicUrl">,
  memberId: string,
  link: NewLink,
  mail: NewMail | undefined,
): Step<MemberLink> {
  const made = yield* linkStep(tx, ctx, memberId, link);
  return { ...made, mailed: mail !== undefined && (yield* queueMail(tx, mail)) };
}

/** The mail for a member who is there already. */
export async function mailTo(ctx: Context, tools: LinkMailTools | undefined, link: NewLink, id: string) {
  const member = await ctx.store.one<{ email: string | null; name: string }>(
    "select email, name from member where id = $1",
    [id],
  );
  return member && linkMail(ctx, tools, link, { member, reason: link.kind });
}
