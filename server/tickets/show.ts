import { fieldNames } from "../../openapi/schema/ticket-fields.ts";
import { type ActivityView, activityOf } from "../activity/activity.ts";
import { type PlacedTicketRow, presentFields, type StoredTicket } from "../activity/ticket-row.ts";
import { type LatestRun, latestRun } from "../agents/latest-run.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { readPublicUrl } from "../core/settings.ts";
import { timeOf } from "./card-summary.ts";

/** A ticket with every field of the request and the answer, its author, and its activity. */
interface TicketView extends StoredTicket {
  id: string;
  createdAt: string;
  archivedAt: string | null;
  /** A deleted ticket can be restored on its page until it is purged. */
  deletedAt: string | null;
  url: string;
  /** The token's name when it created the ticket. */
  author: string;
  activity: ActivityView[];
  run?: LatestRun;
}

export async function showTicket({ ctx, input }: { ctx: Context; input: { id: string } }): Promise<TicketView> {
  requireAdmin(ctx);
  const row = await ctx.store.one<PlacedTicketRow>(
    `select t.*, c.board_id, b.project_id
     from ticket t join board_column c on c.id = t.column_id join board b on b.id = c.board_id where t.id = $1`,
    [input.id],
  );
  if (!row) throw new Refusal("not_found", `there is no ticket ${input.id}`);
  const run = await latestRun(ctx.store, row.id, ctx.now());
  const publicUrl = await readPublicUrl(ctx.store, ctx.publicUrl);
  return {
    id: row.id,
    ...presentFields(row, fieldNames),
    createdAt: new Date(row.created_at).toISOString(),
    archivedAt: timeOf(row.archived_at),
    deletedAt: timeOf(row.deleted_at),
    url: `${publicUrl}/cards/${row.id}`,
    author: row.author_name,
    activity: await activityOf(ctx.store, row.id),
    ...(run ? { run } : {}),
  };
}
