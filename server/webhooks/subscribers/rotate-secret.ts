import { audit } from "../../core/audit.ts";
import { type Context, requireAdmin } from "../../core/context.ts";
import type { Sealing } from "../../core/sealing.ts";
import { isLost, secretAbout } from "../messages/sealed-columns.ts";
import { newSecret } from "../messages/signature.ts";
import { subscriberStep } from "./subscriber-rows.ts";

export const overlapMilliseconds = 24 * 3_600_000;

/**
 * Makes a new secret. The old one signs beside it for 24 hours, so that the receiver can change over at any time between;
 * a secret that was still signing from an earlier rotation signs no more.
 */
export async function rotateSecret({
  ctx,
  tools: { sealing },
  input: { id },
}: {
  ctx: Context;
  tools: { sealing: Sealing };
  input: { id: string };
}): Promise<{ id: string; secret: string; previousUntil: string | null }> {
  requireAdmin(ctx);
  const [auditId, until] = [ctx.newId(), ctx.now() + overlapMilliseconds];
  const secret = newSecret();
  const sealed = sealing.seal(secret, secretAbout(id));
  return ctx.store.write(function* (tx) {
    const { secret: before } = yield* subscriberStep(tx, id);
    const [previous, previousUntil] = isLost(before) ? [null, null] : [before, until];
    yield* tx.run("update subscriber set secret = $2, previous_secret = $3, previous_until = $4 where id = $1", [
      id,
      sealed,
      previous,
      previousUntil,
    ]);
    yield* audit(tx, ctx, auditId, "subscriber.rotate_secret", `subscriber ${id}`);
    return { id, secret, previousUntil: previousUntil === null ? null : new Date(previousUntil).toISOString() };
  });
}
