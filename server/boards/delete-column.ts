import { activityStep, actorView } from "../activity/activity.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import type { Row, Step, Tx } from "../core/store.ts";
import { columnStep, type PlacedColumn } from "./column.ts";

interface Delete {
  id: string;
  /** A column of the same board to which the cards are moved, below its own. */
  moveTo?: string | undefined;
}

/** Cards that one transaction moves, so that other writes never wait long. */
const chunk = 500;

/**
 * Deletes a column. Its cards are never deleted with it: they are moved to another column, or the column stays.
 * Archived and deleted cards go to the first other column. A page cannot delete the last column of a board, because a
 * ticket needs one.
 */
export async function deleteColumn({
  ctx,
  input: { id, moveTo },
}: {
  ctx: Context;
  input: Delete;
}): Promise<{ id: string; moved: number }> {
  requireAdmin(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  for (let moved = 0; ; ) {
    const step = await ctx.store.write(function* (tx) {
      const column = yield* columnStep(tx, id);
      const target = yield* targetStep(tx, ctx, column, moveTo);
      const some = moveTo === undefined || !target ? 0 : yield* moveSomeStep(tx, ctx, column, target, now);
      if (some === chunk) return { column, moved: some, done: false };
      if (target) yield* tx.run("update ticket set column_id = $2 where column_id = $1 and live = 0", [id, target.id]);
      const left = yield* tx.one("select id from ticket where column_id = $1 limit 1", [id]);
      if (left) throw new Refusal("conflict", "this column holds cards; move or delete them first");
      yield* tx.run("delete from board_column where id = $1", [id]);
      yield* audit(tx, ctx, auditId, "column.delete", `column ${id}`, {
        from: { name: column.name, ...(moveTo === undefined ? {} : { cardsTo: moveTo }) },
      });
      return { column, moved: some, done: true };
    });
    moved += step.moved;
    if (!step.done) continue;
    ctx.changed?.({ kind: "board", id: step.column.board_id, in: step.column.project_id });
    return { id, moved };
  }
}

interface TargetRow extends Row {
  id: string;
  name: string;
}

function* targetStep(
  tx: Tx,
  { actor }: Context,
  column: PlacedColumn,
  moveTo: string | undefined,
): Step<TargetRow | undefined> {
  const others = yield* tx.all<TargetRow>(
    "select id, name from board_column where board_id = $1 and id <> $2 order by position, id",
    [column.board_id, column.id],
  );
  if (others.length === 0 && actor.kind !== "operator") {
    throw new Refusal("conflict", "this is the board's only column; create another one first");
  }
  if (moveTo === undefined) return others[0];
  const target = others.find(({ id }) => id === moveTo);
  if (!target) throw new Refusal("column_not_found", "the cards can go to another column of the same board only");
  return target;
}

/** The cards keep their order, below the cards of the other column. */
function* moveSomeStep(tx: Tx, ctx: Context, from: PlacedColumn, to: TargetRow, now: number): Step<number> {
  const cards = yield* tx.all<{ id: string }>(
    "select id from ticket where column_id = $1 and live = 1 order by position, id limit $2",
    [from.id, chunk],
  );
  const last = yield* tx.one<{ position: number }>(
    "select position from ticket where column_id = $1 and live = 1 order by position desc limit 1",
    [to.id],
  );
  const bottom = Math.floor(last?.position ?? 0);
  const by = JSON.stringify(actorView(ctx.actor));
  const detail = { from: { id: from.id, name: from.name }, to: { id: to.id, name: to.name } };
  for (const [i, { id }] of cards.entries()) {
    yield* tx.run(
      `update ticket set column_id = $2, position = $3, moves = moves + 1, moved_at = $4, moved_by = $5, updated_at = $4
       where id = $1`,
      [id, to.id, bottom + i + 1, now, by],
    );
    yield* activityStep(tx, id, { at: now, actor: ctx.actor, kind: "moved", detail });
  }
  return cards.length;
}
