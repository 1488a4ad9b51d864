import { type Context, Refusal, requireAdmin } from "../access/context.ts";
import { activityStep } from "./activity.ts";

/** To the top of a column of the same project, on any of its boards. */
export async function moveTicket({
  ctx,
  input,
}: {
  ctx: Context;
  input: { id: string; columnId: string };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const { id, columnId } = input;
  const now = ctx.now();
  return ctx.store.write(function* (tx) {
    const ticket = yield* tx.one<{ column_id: string; project_id: string }>(
      `select t.column_id, b.project_id from ticket t join board_column c on c.id = t.column_id
       join board b on b.id = c.board_id where t.id = $1`,
      [id],
    );
    if (!ticket) throw new Refusal("not_found", `there is no ticket ${id}`);
    const target = yield* tx.one<{ project_id: string }>(
      "select b.project_id from board_column c join board b on b.id = c.board_id where c.id = $1",
      [columnId],
    );
    if (!target) throw new Refusal("column_not_found", `there is no column ${columnId}`);
    if (target.project_id !== ticket.project_id) {
      throw new Refusal("conflict", "this column belongs to another project; a ticket stays in its own");
    }
    yield* tx.run(
      `update ticket set column_id = $2,
         position = (select coalesce(min(position), 0) - 1 from ticket where column_id = $2) where id = $1`,
      [id, columnId],
    );
    const detail = { from: ticket.column_id, to: columnId };
    yield* activityStep(tx, id, { at: now, actor: ctx.actor, kind: "moved", detail });
    return { id };
  });
}
