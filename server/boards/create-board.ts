import { audit } from "../access/audit.ts";
import { type Context, Refusal, requireAdmin } from "../access/context.ts";
import { requireName } from "../access/names.ts";
import type { Step, Tx } from "../store/store.ts";

export const usualColumns = ["Backlog", "To do", "In progress", "Done"] as const;

export interface NamedColumn {
  id: string;
  name: string;
}

/** The new board is the last of its project; without columns it takes no ticket until one is added. */
export async function createBoard({
  ctx,
  input,
}: {
  ctx: Context;
  input: { projectId: string; name: string; columns: boolean };
}): Promise<{ id: string; columns: NamedColumn[] }> {
  requireAdmin(ctx);
  const name = requireName(input.name);
  const names = input.columns ? usualColumns : [];
  const ids = { board: ctx.newId(), columns: names.map(ctx.newId) };
  const [auditId, now] = [ctx.newId(), ctx.now()];
  return ctx.store.write(function* (tx) {
    yield* projectStep(tx, input.projectId);
    const columns = yield* createBoardStep(tx, { ids, projectId: input.projectId, name, columns: names, now });
    yield* audit(tx, ctx, auditId, "board.create", `board ${ids.board}`, { to: { name, projectId: input.projectId } });
    return { id: ids.board, columns };
  });
}

export function* createBoardStep(
  tx: Tx,
  board: {
    ids: { board: string; columns: string[] };
    projectId: string;
    name: string;
    columns: readonly string[];
    now: number;
  },
): Step<NamedColumn[]> {
  yield* tx.run(
    `insert into board (id, project_id, name, position, created_at)
     values ($1, $2, $3, (select coalesce(max(position), 0) + 1 from board where project_id = $2), $4)`,
    [board.ids.board, board.projectId, board.name, board.now],
  );
  const columns: NamedColumn[] = [];
  for (const [i, name] of board.columns.entries()) {
    const id = board.ids.columns[i] as string;
    yield* addColumnStep(tx, { id, boardId: board.ids.board, name, now: board.now });
    columns.push({ id, name });
  }
  return columns;
}

/** The new column is the rightmost. Positions are fractions: one can always be put between two. */
export function* addColumnStep(tx: Tx, column: { id: string; boardId: string; name: string; now: number }): Step<void> {
  yield* tx.run(
    `insert into board_column (id, board_id, name, position, created_at)
     values ($1, $2, $3, (select coalesce(max(position), 0) + 1 from board_column where board_id = $2), $4)`,
    [column.id, column.boardId, column.name, column.now],
  );
}

export function* projectStep(tx: Tx, id: string): Step<{ id: string; name: string; archived_at: number | null }> {
  const project = yield* tx.one<{ id: string; name: string; archived_at: number | null }>(
    "select id, name, archived_at from project where id = $1",
    [id],
  );
  if (!project) throw new Refusal("project_not_found", `there is no project ${id}`);
  return project;
}
