import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import { requireName } from "../core/names.ts";
import type { Session } from "../core/session.ts";

export async function renamePasskey({
  ctx,
  input: { session, id, ...input },
}: {
  ctx: Context;
  input: { session: Session; id: string; name: string };
}): Promise<{ id: string; name: string }> {
  requireMember(ctx);
  const name = requireName(input.name);
  const auditId = ctx.newId();
  const memberId = session.member.id;
  await ctx.store.write(function* (tx) {
    const before = yield* tx.one<{ name: string }>("select name from passkey where id = $1 and member_id = $2", [
      id,
      memberId,
    ]);
    if (!before) throw new Refusal("not_found");
    yield* tx.run("update passkey set name = $2 where id = $1", [id, name]);
    const change = { from: { name: before.name }, to: { name } };
    yield* audit(tx, ctx, auditId, "member.rename_factor", `member ${memberId}`, change);
  });
  ctx.changed?.({ kind: "member", id: memberId });
  return { id, name };
}
