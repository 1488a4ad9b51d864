import { releaseRunsStep } from "../agents/release-runs.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";

/**
 * Deletes a ticket for good, with its activity and runs; `deleteCard` can be undone. A key bound to the ticket still
 * replays the first answer.
 */
export async function deleteTicket({ ctx, input }: { ctx: Context; input: { id: string } }): Promise<{ id: string }> {
  requireAdmin(ctx);
  const { id } = input;
  const [auditId, moment] = [ctx.newId(), { now: ctx.now(), newId: ctx.newId }];
  return ctx.store.write(function* (tx) {
    yield* releaseRunsStep(tx, { tickets: "t.id = $1", values: [id] }, moment);
    const gone = yield* tx.one<{ title: string }>("delete from ticket where id = $1 returning title", [id]);
    if (!gone) throw new Refusal("not_found", `there is no ticket ${id}`);
    yield* audit(tx, ctx, auditId, "ticket.delete", `ticket ${id}`, { from: { title: gone.title } });
    return { id };
  });
}
