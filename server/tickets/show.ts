import { type ActivityView, activityOf } from "../activity/activity.ts";
import { latestRun, type RunView } from "../agents/show-run.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { readPublicUrl } from "../core/settings.ts";
import type { Row } from "../core/store.ts";
import { timeOf } from "./card-summary.ts";

/** Every field of the request and the answer, who made it, and what happened since. */
export interface TicketView {
  id: string;
  title: string;
  description: string | null;
  projectId: string;
  boardId: string;
  columnId: string;
  priority: string;
  assigneeUserId: string | null;
  agentRepositoryId: string | null;
  startsAt: string | null;
  dueAt: string | null;
  createdAt: string;
  archivedAt: string | null;
  /** Until it goes for good it can be restored from its page. */
  deletedAt: string | null;
  url: string;
  /** The token's name when it created the ticket. */
  author: string;
  activity: ActivityView[];
  run?: RunView;
}

interface TicketRow extends Row {
  id: string;
  title: string;
  description: string | null;
  project_id: string;
  board_id: string;
  column_id: string;
  priority: string;
  assignee_id: string | null;
  repository_id: string | null;
  starts_at: string | null;
  due_at: string | null;
  created_at: number;
  archived_at: number | null;
  deleted_at: number | null;
  author_name: string;
}

export async function showTicket({ ctx, input }: { ctx: Context; input: { id: string } }): Promise<TicketView> {
  requireAdmin(ctx);
  const row = await ctx.store.one<TicketRow>(
    `select t.id, t.title, t.description, b.project_id, c.board_id, t.column_id, t.priority, t.assignee_id,
       t.repository_id, t.starts_at, t.due_at, t.created_at, t.archived_at, t.deleted_at, t.author_name
     from ticket t join board_column c on c.id = t.column_id join board b on b.id = c.board_id where t.id = $1`,
    [input.id],
  );
  if (!row) throw new Refusal("not_found", `there is no ticket ${input.id}`);
  const run = await latestRun(ctx.store, row.id, ctx.now());
  const publicUrl = await readPublicUrl(ctx.store, ctx.publicUrl);
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    projectId: row.project_id,
    boardId: row.board_id,
    columnId: row.column_id,
    priority: row.priority,
    assigneeUserId: row.assignee_id,
    agentRepositoryId: row.repository_id,
    startsAt: row.starts_at,
    dueAt: row.due_at,
    createdAt: new Date(row.created_at).toISOString(),
    archivedAt: timeOf(row.archived_at),
    deletedAt: timeOf(row.deleted_at),
    url: `${publicUrl}/cards/${row.id}`,
    author: row.author_name,
    activity: await activityOf(ctx.store, row.id),
    ...(run ? { run } : {}),
  };
}
