import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import { requireRecentPassword, type Session } from "../core/session.ts";
import { hasSecondFactor, readOwnFactors } from "../factors/own-factors.ts";
import { requireOwnPassword } from "./confirm-password.ts";
import { hashPassword } from "./passwords.ts";
import { requirePassword } from "./require-password.ts";
import type { SignInTools } from "./sign-in.ts";

/**
 * Changes the password and ends every other session of the member, so that whoever knew the old password is signed out.
 * Whoever has no password chooses one without a present one, and whoever has more than a password has to have proved
 * within the last hour who they are.
 */
export async function changePassword({
  ctx,
  tools,
  input,
}: {
  ctx: Context;
  tools: SignInTools;
  input: { session: Session; current?: string | undefined; password: string };
}): Promise<{ ended: number }> {
  requireMember(ctx);
  const { session, current } = input;
  const memberId = session.member.id;
  const row = await ctx.store.one<{ email: string; password_hash: string | null }>(
    "select email, password_hash from member where id = $1",
    [memberId],
  );
  const hasPassword = typeof row?.password_hash === "string";
  const factors = await readOwnFactors(ctx.store, memberId);
  if (!hasPassword || hasSecondFactor(factors)) requireRecentPassword(session, ctx.now());
  const password = requirePassword(input.password, row?.email);
  const former = hasPassword ? await requireOwnPassword(ctx, tools, session, current ?? "") : null;
  const hash = await hashPassword(password);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  const ended = await ctx.store.write(function* (tx) {
    const changed = yield* tx.one(
      `update member set password_hash = $2
       where id = $1 and coalesce(password_hash, '') = $3 and removed_at is null returning id`,
      [memberId, hash, former ?? ""],
    );
    if (!changed) throw new Refusal("conflict", "The password was changed elsewhere at this moment.");
    const others = yield* tx.all("delete from session where member_id = $1 and id <> $2 returning id", [
      memberId,
      session.id,
    ]);
    yield* tx.run("delete from invitation where member_id = $1", [memberId]);
    yield* tx.run("update session set password_at = $2 where id = $1", [session.id, now]);
    yield* audit(tx, ctx, auditId, "member.password", `member ${memberId}`);
    return others.length;
  });
  ctx.changed?.({ kind: "member", id: memberId });
  return { ended };
}
