import { audit } from "../../core/audit.ts";
import { type Context, requireAdmin } from "../../core/context.ts";
import type { Sealing } from "../../core/sealing.ts";
import { isLost, secretAbout } from "../messages/sealed-columns.ts";
import { newSecret } from "../messages/signature.ts";
import { subscriberStep } from "./subscriber-rows.ts";

export const overlapMilliseconds = 24 * 3_600_000;

/**
 * Makes a new secret. For 24 hours the old one signs too, so that the receiver can change over at any time. A secret
 * from an earlier rotation stops signing at once.
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
