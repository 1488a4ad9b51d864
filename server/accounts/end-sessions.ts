import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin, requireMember } from "../core/context.ts";
import type { Session } from "../core/session.ts";
import { personStep } from "./members.ts";

/**
 * Ends one session of the member, or all but the session of the request. An ended session is refused from the next
 * request on.
 */
export async function endSessions({
  ctx,
  input: { session, id },
}: {
  ctx: Context;
  input: { session: Session; id: string };
}): Promise<{ ended: number }> {
  requireMember(ctx);
  const auditId = ctx.newId();
  const memberId = session.member.id;
  const ended = await ctx.store.write(function* (tx) {
    const deleted =
      id === "others"
        ? yield* tx.all("delete from session where member_id = $1 and id <> $2 returning id", [memberId, session.id])
        : yield* tx.all("delete from session where member_id = $1 and id = $2 returning id", [memberId, id]);
    if (id !== "others" && deleted.length === 0) throw new Refusal("not_found");
    yield* audit(tx, ctx, auditId, "session.revoke", `member ${memberId}`, { to: { ended: deleted.length } });
    return deleted.length;
  });
  ctx.changed?.({ kind: "member", id: memberId });
  return { ended };
}

/** An admin ends a session of a member, or without `session` all of them. Whoever still can sign in may do so again. */
export async function endMemberSessions({
  ctx,
  input: { id, session },
}: {
  ctx: Context;
  input: { id: string; session?: string };
}): Promise<{ ended: number }> {
  requireAdmin(ctx);
  const auditId = ctx.newId();
  const ended = await ctx.store.write(function* (tx) {
    yield* personStep(tx, id);
    const deleted =
      session === undefined
        ? yield* tx.all("delete from session where member_id = $1 returning id", [id])
        : yield* tx.all("delete from session where member_id = $1 and id = $2 returning id", [id, session]);
    if (session !== undefined && deleted.length === 0) throw new Refusal("not_found");
    yield* audit(tx, ctx, auditId, "session.revoke", `member ${id}`, { to: { ended: deleted.length } });
    return deleted.length;
  });
  ctx.changed?.({ kind: "member", id });
  return { ended };
}
