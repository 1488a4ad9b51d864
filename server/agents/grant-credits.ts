import { limits } from "../../openapi/schema/limits.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { creditStep } from "./credits.ts";
import { requeueForCreditsStep } from "./requeue.ts";
import { runChanged } from "./run-changed.ts";

interface GrantInput {
  /** How many credits: a whole number, not 0. A negative one takes credits back. */
  amount: number;
  note?: string | undefined;
}

/**
 * Adds credits or takes some back. The first grant makes credits limited: from then on a run holds the credits of its
 * repository when it is claimed, and waits when there are too few.
 */
export async function grantCredits({ ctx, input }: { ctx: Context; input: GrantInput }): Promise<{ balance: number }> {
  requireAdmin(ctx);
  const { amount, note } = input;
  if (!Number.isInteger(amount) || amount === 0 || Math.abs(amount) > limits.creditsMax) {
    const max = limits.creditsMax.toLocaleString("en");
    throw new Refusal("invalid_input", `an amount is a whole number from -${max} to ${max}, and not 0`);
  }
  const moment = { now: ctx.now(), newId: ctx.newId };
  const [id, auditId] = [ctx.newId(), ctx.newId()];
  const { balance, queued } = await ctx.store.write(function* (tx) {
    const done = yield* creditStep(tx, {
      id,
      at: moment.now,
      kind: amount > 0 ? "grant" : "adjust",
      amount,
      actorName: ctx.actor.name,
      ...(note === undefined ? {} : { note }),
    });
    if (!done)
      throw new Refusal("conflict", "there are fewer credits left than that; those that are held count as gone");
    yield* audit(tx, ctx, auditId, "credits.grant", "organisation", { to: { amount, ...(note ? { note } : {}) } });
    const queued = yield* requeueForCreditsStep(tx, moment);
    const row = yield* tx.one<{ credits: number }>("select credits from organisation limit 1");
    return { balance: row?.credits ?? 0, queued };
  });
  ctx.changed?.({ kind: "credits", id });
  for (const run of queued) await runChanged(ctx, run);
  return { balance };
}
