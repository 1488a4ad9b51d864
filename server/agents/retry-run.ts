import { activityStep } from "../activity/activity.ts";
import { liveCardStep } from "../activity/card.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import { queueRunStep } from "./queue-run.ts";
import { visibleRunStep } from "./run.ts";
import { runChanged } from "./run-changed.ts";
import { requireStarterStep } from "./run-starters.ts";

/** Queues a new run for the card of a run that has ended. Refused when the card is no longer assigned to the agent. */
export async function retryRun({
  ctx,
  input: { id },
}: {
  ctx: Context;
  input: { id: string };
}): Promise<{ id: string }> {
  requireMember(ctx);
  const [runId, auditId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  await ctx.store.write(function* (tx) {
    yield* requireStarterStep(tx, ctx);
    const run = yield* visibleRunStep(tx, id);
    const card = yield* liveCardStep(tx, run.ticket_id);
    const agent = yield* tx.one<{ id: string }>("select id from member where id = $1 and role = 'agent'", [
      card.assignee_id,
    ]);
    if (!agent) throw new Refusal("conflict", "the card is not assigned to the agent any more");
    const queued = yield* queueRunStep(
      tx,
      { id: runId, now },
      { id: card.id, projectId: card.project_id, agentId: agent.id, repositoryId: card.repository_id },
    );
    if (!queued) throw new Refusal("conflict", "a run of this card is under way already");
    const detail = { runId, of: id, ...queued };
    yield* activityStep(tx, card.id, { at: now, actor: ctx.actor, kind: "run_retried", detail });
    yield* audit(tx, ctx, auditId, "run.retry", `run ${id}`, { to: { runId } });
  });
  await runChanged(ctx, runId);
  return { id: runId };
}
