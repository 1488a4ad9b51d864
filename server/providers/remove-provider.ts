import { audit } from "../core/audit.ts";
import { type Context, requireAdmin } from "../core/context.ts";
import { providerStep } from "./provider-row.ts";

/**
 * Removes a provider: the sessions that began there end, and accounts are linked to its issuer no longer, unless
 * another provider has the same issuer.
 */
export async function removeProvider({
  ctx,
  input: { id },
}: {
  ctx: Context;
  input: { id: string };
}): Promise<{ id: string; ended: number }> {
  requireAdmin(ctx);
  const auditId = ctx.newId();
  const ended = await ctx.store.write(function* (tx) {
    const { issuer } = yield* providerStep(tx, id);
    const sessions = yield* tx.all(
      "delete from session where id in (select session_id from provider_session where provider_id = $1) returning id",
      [id],
    );
    yield* tx.run("delete from provider where id = $1", [id]);
    yield* tx.run("delete from identity where issuer = $1 and not exists (select 1 from provider where issuer = $1)", [
      issuer,
    ]);
    yield* audit(tx, ctx, auditId, "provider.remove", `provider ${id}`, {
      from: { issuer, sessions: sessions.length },
    });
    return sessions.length;
  });
  ctx.changed?.({ kind: "provider", id });
  return { id, ended };
}
