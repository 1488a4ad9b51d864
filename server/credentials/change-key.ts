import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { keys } from "./credential-kinds.ts";
import { activeCredentialStep } from "./credential-steps.ts";

type KeyChange = "pause" | "resume" | "revoke";

/**
 * Pauses, resumes or revokes an SDK key. The change holds from the next request on, and for reports that are being
 * uploaded: the key is read again when a report is stored.
 */
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
    const key = yield* activeCredentialStep(tx, keys, id, "this key is revoked and stays so");
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
