import { renameSync } from "node:fs";
import { audit } from "../../core/audit.ts";
import { type Context, requireAdmin } from "../../core/context.ts";
import { openSealing } from "../../core/open-sealing.ts";
import { lostSecret } from "../messages/sealed-columns.ts";

/**
 * Replaces `secret.key` when it is lost or known to others: what was sealed with it can no longer be read or trusted,
 * and links made with it stop working. Every subscriber is disabled until its secret is rotated,
 * nobody signs in with a provider until its secret is given again, and codes of authenticator apps count no more. To be called while no
 * server runs; when it is killed half-way, a second call finishes it.
 */
export async function forgetSecrets({
  ctx,
  tools: { folder },
}: {
  ctx: Context;
  tools: { folder: string };
}): Promise<{ disabled: number }> {
  requireAdmin(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  const disabled = await ctx.store.write(function* (tx) {
    yield* tx.run("delete from sealing");
    yield* tx.run("delete from smtp_password");
    const rows = yield* tx.all(
      `update subscriber set secret = $1, previous_secret = null, previous_until = null, headers = null,
         state = 'disabled', reason = case when header_names is null then $2 else $3 end
       returning id`,
      [lostSecret, "its secret is lost", "its secret and the values of its headers are lost"],
    );
    yield* tx.run("update provider set secret = $1 where secret is not null", [lostSecret]);
    yield* tx.run("update totp set secret = $1", [lostSecret]);
    yield* audit(tx, ctx, auditId, "subscriber.forget_secrets", "every subscriber", { to: { disabled: rows.length } });
    return rows.length;
  });
  putAside(`${folder}/secret.key`, now);
  await openSealing(folder, ctx.store);
  return { disabled };
}

/** The key file may belong to another data directory, so it is renamed and not deleted. */
function putAside(path: string, now: number) {
  try {
    renameSync(path, `${path}.until-${now}`);
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOENT") throw error;
  }
}
