import { type Context, requireAdmin } from "../core/context.ts";
import { isoTime } from "../core/iso-time.ts";
import { decodeCursor, lowest, type Page, type PageInput, pageOf } from "../core/page.ts";
import { withProjectUsage } from "../core/project-usage.ts";
import type { ProjectRow } from "./project-row.ts";

interface ProjectView {
  id: string;
  name: string;
  createdAt: string;
  archivedAt: string | null;
  /** Stored reports of the project, and the bytes that they take on the disk. */
  events: number;
  eventBytes: number;
}

type CountedProject = ProjectRow & { events: number | null; bytes: number | null };

const selectProjects = withProjectUsage(
  (usage) => `select p.id, p.name, p.position, p.created_at, p.archived_at, u.events, u.bytes
    from project p left join ${usage} u on u.project_id = p.id
    where p.deleted_at is null and (p.position, p.id) > ($1, $2) order by p.position, p.id limit $3`,
);

/** Projects in their order, archived ones too. */
export async function listProjects({ ctx, input }: { ctx: Context; input: PageInput }): Promise<Page<ProjectView>> {
  requireAdmin(ctx);
  const [position = lowest, id = ""] = decodeCursor(input.cursor, ["number", "string"]);
  const rows = await ctx.store.all<CountedProject>(selectProjects, [position, id, input.limit + 1]);
  return pageOf(
    rows,
    input.limit,
    (row) => [row.position, row.id],
    (row) => ({ id: row.id, name: row.name, ...datesOf(row), events: row.events ?? 0, eventBytes: row.bytes ?? 0 }),
  );
}

export function datesOf(row: { created_at: number; archived_at: number | null }) {
  return {
    createdAt: isoTime(row.created_at),
    archivedAt: isoTime(row.archived_at),
  };
}
