import { audit } from "../core/audit.ts";
import { type Context, requireMember } from "../core/context.ts";
import { requireName } from "../core/names.ts";
import type { Category } from "./categories.ts";
import { columnStep, requireCardLimit } from "./column.ts";
import { reorderStep } from "./reorder.ts";

interface Update {
  id: string;
  name?: string | undefined;
  category?: Category | undefined;
  limit?: number | null | undefined;
  /** The column on its left; null: it becomes the leftmost, which tickets without a column go to. */
  after?: string | null | undefined;
}

export async function updateColumn({ ctx, input }: { ctx: Context; input: Update }): Promise<{ id: string }> {
  requireMember(ctx);
  const { id, after } = input;
  const name = input.name === undefined ? undefined : requireName(input.name);
  const limit = input.limit === undefined ? undefined : requireCardLimit(input.limit);
  const auditIds = [ctx.newId(), ctx.newId()] as const;
  const column = await ctx.store.write(function* (tx) {
    const column = yield* columnStep(tx, id);
    const from = { name: column.name, category: column.category, limit: column.card_limit };
    const to = {
      name: name ?? from.name,
      category: input.category ?? from.category,
      limit: limit === undefined ? from.limit : limit,
    };
    if (!Bun.deepEquals(from, to)) {
      yield* tx.run("update board_column set name = $2, category = $3, card_limit = $4 where id = $1", [
        id,
        to.name,
        to.category,
        to.limit,
      ]);
      yield* audit(tx, ctx, auditIds[0], "column.change", `column ${id}`, { from, to });
    }
    if (after !== undefined) {
      yield* reorderStep(tx, "board_column", { within: column.board_id, id, after });
      yield* audit(tx, ctx, auditIds[1], "column.order", `column ${id}`, { to: { after } });
    }
    return column;
  });
  ctx.changed?.({ kind: "board", id: column.board_id, in: column.project_id });
  return { id };
}
