import { audit } from "../access/audit.ts";
import { type Context, Refusal, requireAdmin } from "../access/context.ts";

/** Only an empty column: cards are moved or deleted first, never along with it. */
export async function deleteColumn({ ctx, input }: { ctx: Context; input: { id: string } }): Promise<{ id: string }> {
  requireAdmin(ctx);
  const { id } = input;
  const auditId = ctx.newId();
  return ctx.store.write(function* (tx) {
    const column = yield* tx.one<{ name: string }>("select name from board_column where id = $1", [id]);
    if (!column) throw new Refusal("column_not_found", `there is no column ${id}`);
    const card = yield* tx.one("select id from ticket where column_id = $1 limit 1", [id]);
    if (card) throw new Refusal("conflict", "this column holds cards; move or delete them first");
    yield* tx.run("delete from board_column where id = $1", [id]);
    yield* audit(tx, ctx, auditId, "column.delete", `column ${id}`, { from: { name: column.name } });
    return { id };
  });
}
