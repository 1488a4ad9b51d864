import { audit } from "../core/audit.ts";
import { type Context, requireMember } from "../core/context.ts";
import { requireName } from "../core/names.ts";
import type { Session } from "../core/session.ts";

/** Changes the member's own name. Entries about what the member did before keep the former name. */
export async function renameSelf({
  ctx,
  input,
}: {
  ctx: Context;
  input: { session: Session; name: string };
}): Promise<{ id: string; name: string }> {
  requireMember(ctx);
  const { id, name: former } = input.session.member;
  const name = requireName(input.name);
  const auditId = ctx.newId();
  await ctx.store.write(function* (tx) {
    yield* tx.run("update member set name = $2 where id = $1", [id, name]);
    yield* audit(tx, ctx, auditId, "member.rename", `member ${id}`, { from: { name: former }, to: { name } });
  });
  ctx.changed?.({ kind: "member", id });
  return { id, name };
}
