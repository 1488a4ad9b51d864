import { limits } from "../../openapi/schema/limits.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { requeueForCreditsStep } from "./requeue.ts";
import { runChanged } from "./run-changed.ts";

/** Sets how many credits a run of the repository holds from its next claim on. Runs that are claimed already keep their hold. */
export async function setRunCredits({
  ctx,
  input: { repositoryId, credits },
}: {
  ctx: Context;
  input: { repositoryId: string; credits: number };
}): Promise<{ id: string; runCredits: number }> {
  requireAdmin(ctx);
  if (!Number.isInteger(credits) || credits < 0 || credits > limits.creditsMax) {
    throw new Refusal("invalid_input", `a whole number from 0 to ${limits.creditsMax.toLocaleString("en")}`);
  }
  const moment = { now: ctx.now(), newId: ctx.newId };
  const auditId = ctx.newId();
  const queued = await ctx.store.write(function* (tx) {
    const before = yield* tx.one<{ run_credits: number }>(
      "select run_credits from repository where id = $1 and unbound_at is null",
      [repositoryId],
    );
    if (!before) throw new Refusal("not_found", `there is no bound repository ${repositoryId}`);
    if (before.run_credits === credits) return [];
    yield* tx.run("update repository set run_credits = $2 where id = $1", [repositoryId, credits]);
    yield* audit(tx, ctx, auditId, "repository.credits", `repository ${repositoryId}`, {
      from: { runCredits: before.run_credits },
      to: { runCredits: credits },
    });
    return yield* requeueForCreditsStep(tx, moment);
  });
  ctx.changed?.({ kind: "repository", id: repositoryId });
  for (const run of queued) await runChanged(ctx, run);
  return { id: repositoryId, runCredits: credits };
}
