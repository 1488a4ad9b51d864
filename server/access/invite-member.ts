import { limits } from "../../openapi/schema/limits.ts";
import { publicUrlStep } from "../ops/settings.ts";
import type { Step, Tx } from "../store/store.ts";
import { audit } from "./audit.ts";
import { type Context, requireAdmin } from "./context.ts";
import { hashOf, newSecret } from "./credential.ts";
import { personStep } from "./members.ts";

/**
 * A new link to choose a password, valid for 7 days and for one use; links made before are void. With
 * `reset` the present password is void at once and every session ends.
 */
export async function inviteMember({
  ctx,
  input,
}: {
  ctx: Context;
  input: { id: string; reset: boolean };
}): Promise<{ id: string; inviteUrl: string }> {
  requireAdmin(ctx);
  const { id, reset } = input;
  const [auditId, now] = [ctx.newId(), ctx.now()];
  const invitation = newInvitation();
  return ctx.store.write(function* (tx) {
    yield* personStep(tx, id);
    if (reset) {
      yield* tx.run("update member set password_hash = null where id = $1", [id]);
      yield* tx.run("delete from session where member_id = $1", [id]);
    }
    const inviteUrl = yield* invitationStep(tx, ctx, id, invitation, now);
    yield* audit(tx, ctx, auditId, reset ? "member.reset_password" : "member.invite", `member ${id}`);
    return { id, inviteUrl };
  });
}

export function newInvitation(): { secret: string; hash: string } {
  const secret = newSecret();
  return { secret, hash: hashOf(secret) };
}

export function* invitationStep(
  tx: Tx,
  ctx: Context,
  memberId: string,
  { secret, hash }: { secret: string; hash: string },
  now: number,
): Step<string> {
  yield* tx.run("delete from invitation where member_id = $1", [memberId]);
  yield* tx.run("insert into invitation (hash, member_id, created_at, expires_at) values ($1, $2, $3, $4)", [
    hash,
    memberId,
    now,
    now + limits.inviteDays * 86_400_000,
  ]);
  return `${yield* publicUrlStep(tx, ctx.publicUrl)}/invite/${secret}`;
}
