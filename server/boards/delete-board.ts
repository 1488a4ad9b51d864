import { audit } from "../access/audit.ts";
import { type Context, Refusal, requireAdmin } from "../access/context.ts";
import type { Row, Step, Store, Tx } from "../store/store.ts";

const chunk = 500;

/** Takes columns, cards and runs along; replays stay. In small steps, like a project. */
export async function deleteBoard({
  ctx,
  input,
}: {
  ctx: Context;
  input: { id: string; progress?: (deleted: number) => void };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const { id } = input;
  const [auditId, now] = [ctx.newId(), ctx.now()];
  await ctx.store.write(function* (tx) {
    const board = yield* boardStep(tx, id);
    yield* tx.run("update board set archived_at = coalesce(archived_at, $2) where id = $1", [id, now]);
    yield* audit(tx, ctx, auditId, "board.delete", `board ${id}`, { from: { name: board.name } });
  });
  await emptyBoard(ctx.store, id, input.progress);
  return ctx.store.write(function* (tx) {
    yield* boardStep(tx, id);
    yield* removeBoardStep(tx, id);
    return { id };
  });
}

export function* boardStep(tx: Tx, id: string): Step<{ id: string; name: string; project_id: string }> {
  const board = yield* tx.one<{ id: string; name: string; project_id: string }>(
    "select id, name, project_id from board where id = $1",
    [id],
  );
  if (!board) throw new Refusal("board_not_found", `there is no board ${id}`);
  return board;
}

/** Deletes the cards of a board, some hundred in a transaction. */
export async function emptyBoard(store: Store, boardId: string, progress: (deleted: number) => void = () => {}) {
  let deleted = 0;
  let gone: Row[];
  do {
    gone = await store.write(function* (tx) {
      return yield* tx.all(
        `delete from ticket where id in
           (select t.id from board_column c join ticket t on t.column_id = c.id where c.board_id = $1 limit $2)
         returning id`,
        [boardId, chunk],
      );
    });
    deleted += gone.length;
    if (gone.length > 0) progress(deleted);
  } while (gone.length === chunk);
}

/** The rest of a board that holds few cards or none. */
export function* removeBoardStep(tx: Tx, boardId: string): Step<void> {
  yield* tx.run("delete from ticket where column_id in (select id from board_column where board_id = $1)", [boardId]);
  yield* tx.run("delete from board_column where board_id = $1", [boardId]);
  yield* tx.run("delete from board where id = $1", [boardId]);
}
