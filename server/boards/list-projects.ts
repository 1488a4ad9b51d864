import { type Context, requireAdmin } from "../access/context.ts";
import { decodeCursor, lowest, type Page, type PageInput, pageOf } from "../store/page.ts";
import type { Row } from "../store/store.ts";

export interface ProjectView {
  id: string;
  name: string;
  createdAt: string;
  archivedAt: string | null;
}

interface ProjectRow extends Row {
  id: string;
  name: string;
  position: number;
  created_at: number;
  archived_at: number | null;
}

/** In their order, archived ones too. */
export async function listProjects({ ctx, input }: { ctx: Context; input: PageInput }): Promise<Page<ProjectView>> {
  requireAdmin(ctx);
  const [position = lowest, id = ""] = decodeCursor(input.cursor, ["number", "string"]);
  const rows = await ctx.store.all<ProjectRow>(
    `select id, name, position, created_at, archived_at from project
     where (position, id) > ($1, $2) order by position, id limit $3`,
    [position, id, input.limit + 1],
  );
  return pageOf(
    rows,
    input.limit,
    (row) => [row.position, row.id],
    (row) => ({ id: row.id, name: row.name, ...datesOf(row) }),
  );
}

export function datesOf(row: { created_at: number; archived_at: number | null }) {
  return {
    createdAt: new Date(row.created_at).toISOString(),
    archivedAt: row.archived_at === null ? null : new Date(row.archived_at).toISOString(),
  };
}
