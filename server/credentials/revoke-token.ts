import { audit } from "../core/audit.ts";
import { type Context, requireAdmin } from "../core/context.ts";
import { tokens } from "./credential-kinds.ts";
import { activeCredentialStep } from "./credential-steps.ts";

/**
 * Revokes an API token for good. The change holds for requests that are being answered too: each reads its token again
 * inside its transaction.
 */
export async function revokeToken({ ctx, input }: { ctx: Context; input: { id: string } }): Promise<{ id: string }> {
  requireAdmin(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  await ctx.store.write(function* (tx) {
    const { name } = yield* activeCredentialStep(tx, tokens, input.id, "this token is revoked already");
    yield* tx.run("update api_token set revoked_at = $2 where id = $1", [input.id, now]);
    yield* audit(tx, ctx, auditId, "token.revoke", `token ${input.id}`, { from: { name } });
  });
  ctx.changed?.({ kind: "token", id: input.id });
  return { id: input.id };
}
