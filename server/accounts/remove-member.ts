import { audit } from "../core/audit.ts";
import { type Context, requireAdmin } from "../core/context.ts";
import { deleteFactorsStep } from "../factors/own-factors.ts";
import { anotherAdminStep, personStep } from "./members.ts";

/** Removes a member and ends their sessions, links and factors. What the member made keeps the name, and cards stay assigned. */
export async function removeMember({ ctx, input }: { ctx: Context; input: { id: string } }): Promise<{ id: string }> {
  requireAdmin(ctx);
  const { id } = input;
  const [auditId, now] = [ctx.newId(), ctx.now()];
  await ctx.store.write(function* (tx) {
    const member = yield* personStep(tx, id);
    yield* anotherAdminStep(tx, member);
    yield* tx.run("update member set removed_at = $2, password_hash = null where id = $1", [id, now]);
    yield* tx.run("delete from session where member_id = $1", [id]);
    for (const table of ["known_network", "known_device", "new_device"] as const) {
      yield* tx.run(`delete from ${table} where member_id = $1`, [id]);
    }
    yield* deleteFactorsStep(tx, id);
    yield* tx.run("delete from invitation where member_id = $1", [id]);
    yield* audit(tx, ctx, auditId, "member.remove", `member ${id}`, { from: { email: member.email } });
  });
  ctx.changed?.({ kind: "member", id });
  return { id };
}
