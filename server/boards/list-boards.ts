import { type Context, requireAdmin } from "../core/context.ts";
import { decodeCursor, lowest, type Page, type PageInput, pageOf } from "../core/page.ts";
import type { BoardRow } from "./board-row.ts";
import { datesOf } from "./list-projects.ts";

interface BoardView {
  id: string;
  projectId: string;
  name: string;
  createdAt: string;
  archivedAt: string | null;
}

const columns = "id, project_id, name, position, created_at, archived_at";

/** Boards in order, project by project, archived ones too; of one project when it is named. */
export async function listBoards({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { projectId?: string | undefined };
}): Promise<Page<BoardView>> {
  requireAdmin(ctx);
  const [project = "", position = lowest, id = ""] = decodeCursor(input.cursor, ["string", "number", "string"]);
  const rows =
    input.projectId === undefined
      ? await ctx.store.all<BoardRow>(
          `select ${columns} from board where deleted_at is null and (project_id, position, id) > ($1, $2, $3)
           order by project_id, position, id limit $4`,
          [project, position, id, input.limit + 1],
        )
      : await ctx.store.all<BoardRow>(
          `select ${columns} from board where project_id = $1 and deleted_at is null and (position, id) > ($2, $3)
           order by position, id limit $4`,
          [input.projectId, position, id, input.limit + 1],
        );
  return pageOf(
    rows,
    input.limit,
    (row) => [row.project_id, row.position, row.id],
    (row) => ({ id: row.id, projectId: row.project_id, name: row.name, ...datesOf(row) }),
  );
}
