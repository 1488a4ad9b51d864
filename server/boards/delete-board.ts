import { releaseRunsStep } from "../agents/release-runs.ts";
import type { Moment } from "../agents/transition.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import type { Row, Step, Tx } from "../core/store.ts";
import type { BoardRow } from "./board-row.ts";

const chunk = 500;
const onBoard = "t.column_id in (select id from board_column where board_id = $1)";

/** Deletes a board with its columns, cards and runs, in small steps like a project. Replays stay. */
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
    const board = yield* tx.one<{ name: string }>("select name from board where id = $1", [id]);
    if (!board) throw new Refusal("board_not_found", `there is no board ${id}`);
    yield* hideBoardStep(tx, id, now);
    yield* audit(tx, ctx, auditId, "board.delete", `board ${id}`, { from: { name: board.name } });
  });
  await removeBoard(ctx, id, input.progress);
  return { id };
}

/**
 * Deletes a board from a page: the board is hidden at once and emptied in the background. The last board of a project
 * cannot be deleted, because a ticket needs one.
 */
export async function discardBoard({
  ctx,
  input: { id },
}: {
  ctx: Context;
  input: { id: string };
}): Promise<{ id: string }> {
  requireAdmin(ctx);
  const [auditId, now] = [ctx.newId(), ctx.now()];
  const projectId = await ctx.store.write(function* (tx) {
    const board = yield* boardStep(tx, id);
    const other = yield* tx.one(
      "select id from board where project_id = $1 and id <> $2 and archived_at is null limit 1",
      [board.project_id, id],
    );
    if (!other) throw new Refusal("conflict", "this is the project's only board; create another one first");
    yield* hideBoardStep(tx, id, now);
    yield* audit(tx, ctx, auditId, "board.delete", `board ${id}`, { from: { name: board.name } });
    return board.project_id;
  });
  ctx.changed?.({ kind: "board", id, in: projectId, gone: true });
  return { id };
}

function hideBoardStep(tx: Tx, id: string, now: number): Step<void> {
  return tx.run(
    "update board set archived_at = coalesce(archived_at, $2), deleted_at = coalesce(deleted_at, $2) where id = $1",
    [id, now],
  );
}

type OwnedBoard = Pick<BoardRow, "id" | "name" | "project_id">;

export function* boardStep(tx: Tx, id: string): Step<OwnedBoard> {
  const board = yield* tx.one<OwnedBoard>(
    `select b.id, b.name, b.project_id from board b join project p on p.id = b.project_id
     where b.id = $1 and b.deleted_at is null and p.deleted_at is null`,
    [id],
  );
  if (!board) throw new Refusal("board_not_found", `there is no board ${id}`);
  return board;
}

/** Empties a board, then removes it. */
export async function removeBoard(tools: EmptyTools, id: string, progress?: (deleted: number) => void): Promise<void> {
  await emptyBoard(tools, id, progress);
  const moment = { now: tools.now(), newId: tools.newId };
  await tools.store.write((tx) => removeBoardStep(tx, id, moment));
}

export type EmptyTools = Pick<Context, "store" | "now" | "newId">;

/** Deletes the cards of a board, some hundred in each transaction. */
export async function emptyBoard(
  { store, now, newId }: EmptyTools,
  boardId: string,
  progress: (deleted: number) => void = () => {},
) {
  let deleted = 0;
  let rows: Row[];
  do {
    const moment = { now: now(), newId };
    rows = await store.write(function* (tx) {
      yield* releaseRunsStep(tx, { tickets: onBoard, values: [boardId] }, moment);
      return yield* tx.all(
        `delete from ticket where id in
           (select t.id from board_column c join ticket t on t.column_id = c.id where c.board_id = $1 limit $2)
         returning id`,
        [boardId, chunk],
      );
    });
    deleted += rows.length;
    if (rows.length > 0) progress(deleted);
  } while (rows.length === chunk);
}

/** Deletes what is left of a board that holds few cards or none. */
export function* removeBoardStep(tx: Tx, boardId: string, moment: Moment): Step<void> {
  yield* releaseRunsStep(tx, { tickets: onBoard, values: [boardId] }, moment);
  yield* tx.run("delete from ticket where column_id in (select id from board_column where board_id = $1)", [boardId]);
  yield* tx.run("delete from board_column where board_id = $1", [boardId]);
  yield* tx.run("delete from board where id = $1", [boardId]);
}
