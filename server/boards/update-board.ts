import { audit } from "../core/audit.ts";
import { type Context, requireMember } from "../core/context.ts";
import { requireName } from "../core/names.ts";
import { boardStep } from "./delete-board.ts";
import { reorderStep } from "./reorder.ts";

interface Update {
  id: string;
  name?: string | undefined;
  /** The board to follow; null: the board becomes the first, which receives tickets that name no board. */
  after?: string | null | undefined;
}

export async function updateBoard({ ctx, input }: { ctx: Context; input: Update }): Promise<{ id: string }> {
  requireMember(ctx);
  const { id, after } = input;
  const name = input.name === undefined ? undefined : requireName(input.name);
  const auditIds = [ctx.newId(), ctx.newId()] as const;
  const projectId = await ctx.store.write(function* (tx) {
    const board = yield* boardStep(tx, id);
    if (name !== undefined && name !== board.name) {
      yield* tx.run("update board set name = $2 where id = $1", [id, name]);
      const change = { from: { name: board.name }, to: { name } };
      yield* audit(tx, ctx, auditIds[0], "board.rename", `board ${id}`, change);
    }
    if (after !== undefined) {
      yield* reorderStep(tx, "board", { within: board.project_id, id, after });
      yield* audit(tx, ctx, auditIds[1], "board.order", `board ${id}`, { to: { after } });
    }
    return board.project_id;
  });
  ctx.changed?.({ kind: "board", id, in: projectId });
  return { id };
}
