import { limits } from "../../openapi/schema/limits.ts";
import { audit } from "../core/audit.ts";
import { checkFields } from "../core/check-fields.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { NewFields } from "../core/fields.ts";
import { columnRules } from "./column.ts";
import { type ColumnFields, columnFields } from "./column-fields.ts";
import { addColumnStep } from "./create-board.ts";
import { boardStep } from "./delete-board.ts";
import { reorderStep } from "./reorder.ts";

type NewColumn = NewFields<ColumnFields> & {
  /** The column on its left; null: it becomes the leftmost; absent: the rightmost. */
  after?: string | null | undefined;
};

export async function createColumn({ ctx, input }: { ctx: Context; input: NewColumn }): Promise<{ id: string }> {
  requireMember(ctx);
  const { after, ...fields } = input;
  const given = checkFields(columnFields, fields, columnRules);
  const { boardId, name } = given;
  const [id, auditId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  const projectId = await ctx.store.write(function* (tx) {
    const board = yield* boardStep(tx, boardId);
    const columns = yield* tx.all("select id from board_column where board_id = $1", [boardId]);
    if (columns.length >= limits.columnsMax) {
      throw new Refusal("conflict", `a board has at most ${limits.columnsMax} columns`);
    }
    yield* addColumnStep(tx, { id, given, now });
    if (after !== undefined) yield* reorderStep(tx, "board_column", { within: boardId, id, after });
    yield* audit(tx, ctx, auditId, "column.create", `column ${id}`, { to: { name, boardId } });
    return board.project_id;
  });
  ctx.changed?.({ kind: "board", id: boardId, in: projectId });
  return { id };
}
