import { limits } from "../../openapi/schema/limits.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { hashOf, newSecret } from "../core/credential.ts";
import { publicUrlStep } from "../core/settings.ts";
import type { Step, Tx } from "../core/store.ts";
import { personStep } from "./members.ts";

/** A link with which a member chooses a password. Only this answer contains the link. */
export interface MemberLink {
  id: string;
  inviteUrl: string;
  /** The link can be used once, until this time. */
  until: string;
}

/**
 * Makes a link to choose a password; links made before become void. An invitation lasts 7 days. A reset lasts 30
 * minutes; it also voids the present password and ends every session of the member.
 */
export async function inviteMember({
  ctx,
  input,
}: {
  ctx: Context;
  input: { id: string; reset: boolean };
}): Promise<MemberLink> {
  requireAdmin(ctx);
  const { id, reset } = input;
  if (reset && ctx.actor.kind === "member" && ctx.actor.id === id) {
    throw new Refusal("conflict", "Change your own password in your profile.");
  }
  const auditId = ctx.newId();
  const link = newLink(ctx, reset ? "reset" : "invite");
  const made = await ctx.store.write(function* (tx) {
    yield* personStep(tx, id);
    if (reset) {
      yield* tx.run("update member set password_hash = null where id = $1", [id]);
      yield* tx.run("delete from session where member_id = $1", [id]);
    }
    const made = yield* linkStep(tx, ctx, id, link);
    yield* audit(tx, ctx, auditId, reset ? "member.reset_password" : "member.invite", `member ${id}`);
    return made;
  });
  ctx.changed?.({ kind: "member", id });
  return made;
}

interface NewLink {
  kind: "invite" | "reset";
  secret: string;
  createdAt: number;
  until: number;
}

export function newLink(ctx: Pick<Context, "now">, kind: NewLink["kind"]): NewLink {
  const now = ctx.now();
  const lasts = kind === "invite" ? limits.inviteDays * 86_400_000 : limits.resetMinutes * 60_000;
  return { kind, secret: newSecret(), createdAt: now, until: now + lasts };
}

export function* linkStep(
  tx: Tx,
  ctx: Pick<Context, "publicUrl">,
  memberId: string,
  { kind, secret, createdAt, until }: NewLink,
): Step<MemberLink> {
  yield* tx.run("delete from invitation where member_id = $1", [memberId]);
  yield* tx.run("insert into invitation (hash, member_id, created_at, expires_at, kind) values ($1, $2, $3, $4, $5)", [
    hashOf(secret),
    memberId,
    createdAt,
    until,
    kind,
  ]);
  // Browsers do not send the part after # to a server, so no log of a proxy contains the secret.
  const inviteUrl = `${yield* publicUrlStep(tx, ctx.publicUrl)}/${kind}#${secret}`;
  return { id: memberId, inviteUrl, until: new Date(until).toISOString() };
}
