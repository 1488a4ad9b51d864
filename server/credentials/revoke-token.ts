import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";

/** Takes effect at once: a request that is being answered is looked at again inside its transaction. */
export async function revokeToken({ ctx, input }: { ctx: Context; input: { id: string } }): Promise<{ id: string }> {
  requireAdmin(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  await ctx.store.write(function* (tx) {
    const token = yield* tx.one<{ name: string; revoked_at: number | null }>(
      "select name, revoked_at from api_token where id = $1",
      [input.id],
    );
    if (!token) throw new Refusal("not_found", `there is no API token ${input.id}`);
    if (token.revoked_at !== null) throw new Refusal("conflict", "this token is revoked already");
    yield* tx.run("update api_token set revoked_at = $2 where id = $1", [input.id, now]);
    yield* audit(tx, ctx, auditId, "token.revoke", `token ${input.id}`, { from: { name: token.name } });
  });
  ctx.changed?.({ kind: "token", id: input.id });
  return { id: input.id };
}
