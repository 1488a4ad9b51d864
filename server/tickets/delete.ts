import { audit } from "../access/audit.ts";
import { type Context, Refusal, requireAdmin } from "../access/context.ts";

/** Takes activity and runs along. A key bound to the ticket still replays the first answer. */
export async function deleteTicket({ ctx, input }: { ctx: Context; input: { id: string } }): Promise<{ id: string }> {
  requireAdmin(ctx);
  const { id } = input;
  const auditId = ctx.newId();
  return ctx.store.write(function* (tx) {
    const gone = yield* tx.one<{ title: string }>("delete from ticket where id = $1 returning title", [id]);
    if (!gone) throw new Refusal("not_found", `there is no ticket ${id}`);
    yield* audit(tx, ctx, auditId, "ticket.delete", `ticket ${id}`, { from: { title: gone.title } });
    return { id };
  });
}
