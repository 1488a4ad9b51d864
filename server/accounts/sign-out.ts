import { audit } from "../core/audit.ts";
import { type Context, requireMember } from "../core/context.ts";
import type { Session } from "../core/session.ts";

export async function signOut({
  ctx,
  input: { session },
}: {
  ctx: Context;
  input: { session: Session };
}): Promise<{ id: string }> {
  requireMember(ctx);
  const auditId = ctx.newId();
  const { id, member } = session;
  await ctx.store.write(function* (tx) {
    yield* tx.run("delete from session where id = $1", [id]);
    yield* audit(tx, ctx, auditId, "session.end", `member ${member.id}`);
  });
  ctx.changed?.({ kind: "member", id: member.id });
  return { id };
}
