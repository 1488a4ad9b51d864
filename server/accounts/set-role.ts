import { audit } from "../core/audit.ts";
import { type Context, requireAdmin } from "../core/context.ts";
import { anotherAdminStep, personStep } from "./members.ts";

/** Changes a member's role and ends every session of the member. The only admin cannot be made a member. */
export async function setRole({
  ctx,
  input,
}: {
  ctx: Context;
  input: { id: string; role: "admin" | "member" };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const { id, role } = input;
  const auditId = ctx.newId();
  await ctx.store.write(function* (tx) {
    const member = yield* personStep(tx, id);
    if (member.role === role) return;
    if (role === "member") yield* anotherAdminStep(tx, member);
    yield* tx.run("update member set role = $2 where id = $1", [id, role]);
    yield* tx.run("delete from session where member_id = $1", [id]);
    yield* audit(tx, ctx, auditId, "member.role", `member ${id}`, { from: { role: member.role }, to: { role } });
  });
  ctx.changed?.({ kind: "member", id });
  return { id };
}
