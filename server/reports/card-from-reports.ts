import { type Context, Refusal, requireMember } from "../core/context.ts";
import { readPublicUrl } from "../core/settings.ts";
import type { Reader } from "../core/store.ts";
import { createCard } from "../tickets/create-card.ts";
import { draftCard } from "./draft-card.ts";

interface CardFromReports {
  /** The idempotency id of the call: a second call with the same `op` makes no second card. */
  op: string;
  /** Ids of reports, all of one project. */
  reportIds: readonly string[];
  /** The first column of the project's first board when absent. */
  columnId?: string | undefined;
  title?: string | undefined;
  description?: string | undefined;
}

/** Creates a card from reports and links the card and the reports with each other. */
export async function cardFromReports({
  ctx,
  input,
}: {
  ctx: Context;
  input: CardFromReports;
}): Promise<{ id: string; url: string }> {
  requireMember(ctx);
  const ids = input.reportIds.map((id) => id.toLowerCase());
  const { projectId, ...draft } = await draftCard({ ctx, input: { reportIds: ids } });
  const columnId = input.columnId?.toLowerCase() ?? (await firstColumn(ctx.store, projectId));
  const { title = draft.title, description = draft.description } = input;
  const { id } = await createCard({
    ctx,
    input: { op: input.op, columnId, after: null, fields: { title, description }, source: { kind: "report", ids } },
  });
  // The page of a report shows how many cards it has, so open pages load it again.
  for (const report of ids) ctx.changed?.({ kind: "report", id: report, in: projectId });
  return { id, url: `${await readPublicUrl(ctx.store, ctx.publicUrl)}/cards/${id}` };
}

async function firstColumn(store: Reader, projectId: string): Promise<string> {
  const column = await store.one<{ id: string }>(
    `select c.id from board b join board_column c on c.board_id = b.id
     where b.project_id = $1 and b.archived_at is null and b.deleted_at is null
     order by b.position, b.id, c.position, c.id limit 1`,
    [projectId],
  );
  if (!column) throw new Refusal("column_not_found");
  return column.id;
}
