import { limits } from "../../openapi/schema/limits.ts";
import { audit } from "../core/audit.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import { columnsOf, type NewFields, withDefaults } from "../core/fields.ts";
import { requireName } from "../core/names.ts";
import type { Step, Tx } from "../core/store.ts";
import { insertStep } from "../core/write-row.ts";
import type { Category } from "./categories.ts";
import { type ColumnFields, columnFields } from "./column-fields.ts";

export const usualColumns = ["Backlog", "To do", "In progress", "Done"] as const;
const usualCategories = new Map<string, Category>([
  ["Backlog", "backlog"],
  ["In progress", "doing"],
  ["Done", "done"],
]);

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
  requireMember(ctx);
  const name = requireName(input.name);
  const names = input.columns ? usualColumns : [];
  const ids = { board: ctx.newId(), columns: names.map(ctx.newId) };
  const [auditId, now] = [ctx.newId(), ctx.now()];
  const board = await ctx.store.write(function* (tx) {
    yield* projectStep(tx, input.projectId);
    const boards = yield* tx.all("select id from board where project_id = $1 and deleted_at is null", [
      input.projectId,
    ]);
    if (boards.length >= limits.boardsMax) {
      throw new Refusal("conflict", `a project has at most ${limits.boardsMax} boards`);
    }
    const columns = yield* createBoardStep(tx, { ids, projectId: input.projectId, name, columns: names, now });
    yield* audit(tx, ctx, auditId, "board.create", `board ${ids.board}`, { to: { name, projectId: input.projectId } });
    return { id: ids.board, columns };
  });
  ctx.changed?.({ kind: "board", id: board.id, in: input.projectId });
  return board;
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
    yield* addColumnStep(tx, { id, given: { boardId: board.ids.board, name }, now: board.now });
    columns.push({ id, name });
  }
  return columns;
}

/** The new column is the rightmost. */
export function* addColumnStep(
  tx: Tx,
  { id, given, now }: { id: string; given: NewFields<ColumnFields>; now: number },
): Step<void> {
  const last = yield* tx.one<{ position: number }>(
    "select coalesce(max(position), 0) as position from board_column where board_id = $1",
    [given.boardId],
  );
  const category = given.category ?? usualCategories.get(given.name) ?? "todo";
  const columns = columnsOf(columnFields, { ...withDefaults(columnFields, given), category });
  yield* insertStep(tx, "board_column", { id, ...columns, position: (last?.position ?? 0) + 1, created_at: now });
}

export function* projectStep(tx: Tx, id: string): Step<{ id: string; name: string; archived_at: number | null }> {
  const project = yield* tx.one<{ id: string; name: string; archived_at: number | null }>(
    "select id, name, archived_at from project where id = $1 and deleted_at is null",
    [id],
  );
  if (!project) throw new Refusal("project_not_found", `there is no project ${id}`);
  return project;
}
