import { audit } from "../access/audit.ts";
import { type Context, requireAdmin } from "../access/context.ts";
import { requireName } from "../access/names.ts";
import { addColumnStep } from "./create-board.ts";
import { boardStep } from "./delete-board.ts";

/** The new column is the rightmost of its board. */
export async function createColumn({
  ctx,
  input,
}: {
  ctx: Context;
  input: { boardId: string; name: string };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const name = requireName(input.name);
  const [id, auditId, now] = [ctx.newId(), ctx.newId(), ctx.now()];
  return ctx.store.write(function* (tx) {
    yield* boardStep(tx, input.boardId);
    yield* addColumnStep(tx, { id, boardId: input.boardId, name, now });
    yield* audit(tx, ctx, auditId, "column.create", `column ${id}`, { to: { name, boardId: input.boardId } });
    return { id };
  });
}
