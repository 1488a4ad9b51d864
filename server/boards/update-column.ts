import { audit } from "../core/audit.ts";
import { checkFields } from "../core/check-fields.ts";
import { type Context, requireMember } from "../core/context.ts";
import { type ChangedFields, columnsOf, shownFields } from "../core/fields.ts";
import { updateStep } from "../core/write-row.ts";
import { columnRules, columnStep } from "./column.ts";
import { type ColumnFields, columnFields } from "./column-fields.ts";
import { reorderStep } from "./reorder.ts";

type Update = ChangedFields<ColumnFields> & {
  id: string;
  /** The column on its left; null: the column becomes the leftmost, which receives tickets that name no column. */
  after?: string | null | undefined;
};

export async function updateColumn({ ctx, input }: { ctx: Context; input: Update }): Promise<{ id: string }> {
  requireMember(ctx);
  const { id, after, ...fields } = input;
  const given = checkFields(columnFields, fields, columnRules);
  const auditIds = [ctx.newId(), ctx.newId()] as const;
  const column = await ctx.store.write(function* (tx) {
    const column = yield* columnStep(tx, id);
    const { boardId: _, ...from } = shownFields(columnFields, column);
    const to = { ...from, ...given };
    if (!Bun.deepEquals(from, to)) {
      yield* updateStep(tx, "board_column", id, columnsOf(columnFields, given));
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
