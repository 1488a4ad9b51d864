import { audit } from "../../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../../core/context.ts";
import { isLost } from "../messages/sealed-columns.ts";
import { subscriberStep } from "./subscriber-rows.ts";

export type SubscriberChange = "pause" | "resume" | "enable";

/**
 * Pauses, resumes or enables a subscriber. For a paused subscriber reports still make deliveries, which wait. For a
 * disabled one reports make no deliveries, and those that exist wait. An enabled subscriber starts without failures.
 */
export async function changeSubscriber({
  ctx,
  input: { id, change, since },
}: {
  ctx: Context;
  /**
   * `since` (epoch milliseconds): reports missed since then are to be sent too, also when the subscriber was enabled
   * meanwhile.
   */
  input: { id: string; change: SubscriberChange; since?: number | undefined };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const auditId = ctx.newId();
  return ctx.store.write(function* (tx) {
    const { state, reason, secret } = yield* subscriberStep(tx, id);
    if (change === "enable" && state === "active" && since !== undefined) {
      // The state is right already, but missed reports are looked for again.
    } else if (change === "enable") {
      if (state !== "disabled") throw new Refusal("conflict", `this subscriber is ${state}, and not disabled`);
      if (isLost(secret)) {
        throw new Refusal("conflict", "its secret is lost; intake subscriber rotate-secret makes a new one");
      }
      yield* tx.run(
        `update subscriber set state = 'active', reason = null, failures = 0, failing_since = null, openings = 0,
           open_until = null
         where id = $1`,
        [id],
      );
    } else {
      if (state === "disabled") {
        throw new Refusal("conflict", "this subscriber is disabled; intake subscriber enable lets it go on");
      }
      const to = change === "pause" ? "paused" : "active";
      if (state === to) throw new Refusal("conflict", `this subscriber is ${to} already`);
      yield* tx.run("update subscriber set state = $2 where id = $1", [id, to]);
    }
    yield* audit(tx, ctx, auditId, `subscriber.${change}`, `subscriber ${id}`, {
      ...(reason === null ? {} : { from: { reason } }),
      ...(since === undefined ? {} : { to: { since: new Date(since).toISOString() } }),
    });
    return { id };
  });
}
