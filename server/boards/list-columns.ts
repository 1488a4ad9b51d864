import { type Context, requireAdmin } from "../core/context.ts";
import { isoTime } from "../core/iso-time.ts";
import { decodeCursor, lowest, type Page, type PageInput, pageOf } from "../core/page.ts";
import type { ColumnRow } from "./column-row.ts";

interface ColumnView {
  id: string;
  boardId: string;
  name: string;
  createdAt: string;
}

const columns = "id, board_id, name, position, created_at";

/** Columns from left to right, board by board; of one board when it is named. */
export async function listColumns({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { boardId?: string | undefined };
}): Promise<Page<ColumnView>> {
  requireAdmin(ctx);
  const [board = "", position = lowest, id = ""] = decodeCursor(input.cursor, ["string", "number", "string"]);
  const rows =
    input.boardId === undefined
      ? await ctx.store.all<ColumnRow>(
          `select ${columns} from board_column where (board_id, position, id) > ($1, $2, $3)
           order by board_id, position, id limit $4`,
          [board, position, id, input.limit + 1],
        )
      : await ctx.store.all<ColumnRow>(
          `select ${columns} from board_column where board_id = $1 and (position, id) > ($2, $3)
           order by position, id limit $4`,
          [input.boardId, position, id, input.limit + 1],
        );
  return pageOf(
    rows,
    input.limit,
    (row) => [row.board_id, row.position, row.id],
    (row) => ({
      id: row.id,
      boardId: row.board_id,
      name: row.name,
      createdAt: isoTime(row.created_at),
    }),
  );
}
