import { limits } from "../../openapi/schema/limits.ts";
import { type HasOnlineRunner, onlineRunners } from "../agents/online-runners.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import { decodeCursor, highest, lowest, type Page, type PageInput, pageOf } from "../core/page.ts";
import type { Reader } from "../core/store.ts";
import { type CardFilter, filterCondition, filterParams, isFiltering, quickCondition } from "./card-filter.ts";
import { type CardSummary, presentSummary, type SummaryRow, summaryColumns, summaryTables } from "./card-summary.ts";

/** Lists the next cards of a column, from the top; archived cards by the time they were archived, newest first. */
export async function listColumnCards({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { columnId: string; filter: CardFilter };
}): Promise<Page<CardSummary>> {
  requireMember(ctx);
  const column = await ctx.store.one(
    `select c.id from board_column c join board b on b.id = c.board_id join project p on p.id = b.project_id
     where c.id = $1 and b.deleted_at is null and p.deleted_at is null`,
    [input.columnId],
  );
  if (!column) throw new Refusal("column_not_found", `there is no column ${input.columnId}`);
  return cardsOf(ctx.store, { ...input, reaches: await onlineRunners(ctx.store, ctx.now()) });
}

export async function cardsOf(
  store: Reader,
  {
    columnId,
    filter,
    cursor,
    limit,
    reaches,
  }: PageInput & { columnId: string; filter: CardFilter; reaches: HasOnlineRunner },
): Promise<Page<CardSummary>> {
  const present = (row: SummaryRow) => presentSummary(row, reaches);
  const params = [...filterParams(filter), columnId];
  if (filter.archived) {
    const [time = highest, id = "g"] = decodeCursor(cursor, ["number", "string"]);
    const rows = await store.all<SummaryRow>(selectArchived, [...params, time, id, limit + 1]);
    return pageOf(rows, limit, (row) => [row.archived_at ?? 0, row.id], present);
  }
  const [position = lowest, id = ""] = decodeCursor(cursor, ["number", "string"]);
  const end = isFiltering(filter) ? await endOfLook(store, columnId, [position, id]) : endOfAll;
  const rows = await store.all<SummaryRow>(selectLive, [...params, position, id, ...end, limit + 1]);
  return pageOf(rows, limit, (row) => [row.position, row.id], present);
}

/**
 * Finds the place at which a filtered read of a column stops, after `countedCards` cards. Without it, a filter that no
 * card matches would read the whole column.
 */
export async function endOfLook(
  store: Reader,
  columnId: string,
  [position, id]: [number, string] = [lowest, ""],
): Promise<[number, string]> {
  const end = await store.one<{ position: number; id: string }>(
    `select position, id from ticket where column_id = $1 and live = 1 and (position, id) > ($2, $3)
     order by position, id limit 1 offset ${limits.countedCards}`,
    [columnId, position, id],
  );
  return end ? [end.position, end.id] : endOfAll;
}

export const endOfAll: [number, string] = [highest, "g"];

const selectLive = `select ${summaryColumns} from ${summaryTables}
  where c.id = $14 and t.live = 1 and (t.position, t.id) > ($15, $16) and (t.position, t.id) < ($17, $18)
    and ${filterCondition} and ${quickCondition}
  order by t.position, t.id limit $19`;

const selectArchived = `select ${summaryColumns} from ${summaryTables}
  where c.id = $14 and t.archived_at is not null and t.deleted_at is null and (t.archived_at, t.id) < ($15, $16)
    and ${filterCondition} and ${quickCondition}
  order by t.archived_at desc, t.id desc limit $17`;

/**
 * Returns the summaries of the cards that still exist, archived and deleted ones included: a page loads them after a
 * change.
 */
export async function summariesOf({
  ctx,
  input,
}: {
  ctx: Context;
  input: { ids: readonly string[] };
}): Promise<{ items: CardSummary[] }> {
  requireMember(ctx);
  const items: CardSummary[] = [];
  const reaches = await onlineRunners(ctx.store, ctx.now());
  for (const id of input.ids) {
    const row = await ctx.store.one<SummaryRow>(selectOne, [id]);
    if (row) items.push(presentSummary(row, reaches));
  }
  return { items };
}

export async function summaryOf(ctx: Context, id: string): Promise<CardSummary> {
  const row = await ctx.store.one<SummaryRow>(selectOne, [id]);
  if (!row) throw new Refusal("not_found", `there is no ticket ${id}`);
  return presentSummary(row, await onlineRunners(ctx.store, ctx.now()));
}

const selectOne = `select ${summaryColumns}
  from ticket t join board_column c on c.id = t.column_id
    join board b on b.id = c.board_id join project p on p.id = b.project_id
    left join member a on a.id = t.assignee_id
    left join agent_run r on r.id = (select max(id) from agent_run where ticket_id = t.id)
  where t.id = $1 and b.deleted_at is null and p.deleted_at is null`;
