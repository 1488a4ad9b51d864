import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";

type KeyChange = "pause" | "resume" | "revoke";

/** Holds from the next request on, and for reports on their way: the key is looked at again when they are stored. */
export async function changeKey({
  ctx,
  input: { id, change },
}: {
  ctx: Context;
  input: { id: string; change: KeyChange };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  await ctx.store.write(function* (tx) {
    const key = yield* tx.one<{ paused_at: number | null; revoked_at: number | null }>(
      "select paused_at, revoked_at from sdk_key where id = $1",
      [id],
    );
    if (!key) throw new Refusal("not_found", `there is no SDK key ${id}`);
    if (key.revoked_at !== null) throw new Refusal("conflict", "this key is revoked and stays so");
    const paused = key.paused_at !== null;
    if (change === "pause" && paused) throw new Refusal("conflict", "this key is paused already");
    if (change === "resume" && !paused) throw new Refusal("conflict", "this key is not paused");
    if (change === "revoke") yield* tx.run("update sdk_key set revoked_at = $2 where id = $1", [id, now]);
    else yield* tx.run("update sdk_key set paused_at = $2 where id = $1", [id, change === "pause" ? now : null]);
    yield* audit(tx, ctx, auditId, `key.${change}`, `key ${id}`);
  });
  ctx.changed?.({ kind: "key", id });
  return { id };
}
