import { limits } from "../../openapi/schema/limits.ts";
import { onlineRunners } from "../agents/online-runners.ts";
import { type Context, Refusal, requireMember } from "../core/context.ts";
import type { ShownFields } from "../core/fields.ts";
import type { Reader, Row } from "../core/store.ts";
import {
  type CardFilter,
  filterCondition,
  filterParams,
  quickCondition,
  quickConditions,
} from "../tickets/card-filter.ts";
import { type CardSummary, timeOf } from "../tickets/card-summary.ts";
import { cardsOf, endOfAll, endOfLook } from "../tickets/list-cards.ts";
import type { BoardRow } from "./board-row.ts";
import type { ColumnFields } from "./column-fields.ts";
import type { ColumnRow } from "./column-row.ts";
import { Shared } from "./shared.ts";

export interface BoardPage {
  id: string;
  name: string;
  archivedAt: string | null;
  project: { id: string; name: string; archivedAt: string | null };
  columns: (BoardColumn & ColumnCount & { cards: CardSummary[]; next: string | null })[];
  totals: Totals;
}

export type BoardColumn = Pick<ShownFields<ColumnFields>, "name" | "category" | "limit"> & { id: string };

interface ColumnCount {
  id: string;
  /** Cards in the column that match the filter. */
  count: number;
  /** All cards in the column. */
  total: number;
}

/** Cards under each quick filter, within the rest of the filter. */
type Totals = Record<CardFilter["quick"], number>;

export interface BoardCounts {
  columns: ColumnCount[];
  totals: Totals;
}

/** A board with the first cards of each column. */
export async function showBoard({
  ctx,
  input: { id, filter },
}: {
  ctx: Context;
  input: { id: string; filter: CardFilter };
}): Promise<BoardPage> {
  requireMember(ctx);
  return boards.get(keyOf(id, filter), () => readBoard(ctx, id, filter));
}

/** Boards as many pages ask for them at once. People wait for a board, so it may take a larger share of the time. */
const boards = new Shared<BoardPage>(1 / 5);

const keyOf = (id: string, filter: CardFilter) => JSON.stringify([id, filter.archived, ...filterParams(filter)]);

async function readBoard(ctx: Context, id: string, filter: CardFilter): Promise<BoardPage> {
  const board = await boardRow(ctx.store, id);
  const columns = await columnsOf(ctx.store, id);
  const counted = await countCards(ctx.store, columns, filter);
  const reaches = await onlineRunners(ctx.store, ctx.now());
  const filled = [];
  for (const [i, column] of columns.entries()) {
    const { items, next } = await cardsOf(ctx.store, {
      columnId: column.id,
      filter,
      limit: limits.columnCards,
      reaches,
    });
    const { count = 0, total = 0 } = counted.columns[i] ?? {};
    filled.push({ ...column, count, total, cards: items, next });
  }
  return {
    id: board.id,
    name: board.name,
    archivedAt: timeOf(board.archived_at),
    project: { id: board.project_id, name: board.project_name, archivedAt: timeOf(board.project_archived_at) },
    columns: filled,
    totals: counted.totals,
  };
}

/** The counts of a board: they change when its cards do. */
export async function showCounts({
  ctx,
  input: { id, filter },
}: {
  ctx: Context;
  input: { id: string; filter: CardFilter };
}): Promise<BoardCounts> {
  requireMember(ctx);
  await boardRow(ctx.store, id);
  return counts.get(keyOf(id, filter), async () => countCards(ctx.store, await columnsOf(ctx.store, id), filter));
}

/** Counts of boards, which every page that shows a board asks for when one of its cards has changed. */
const counts = new Shared<BoardCounts>();

type PlacedBoard = Pick<BoardRow, "id" | "name" | "archived_at" | "project_id"> & {
  project_name: string;
  project_archived_at: number | null;
};

async function boardRow(store: Reader, id: string): Promise<PlacedBoard> {
  const board = await store.one<PlacedBoard>(
    `select b.id, b.name, b.archived_at, p.id as project_id, p.name as project_name,
       p.archived_at as project_archived_at
     from board b join project p on p.id = b.project_id
     where b.id = $1 and b.deleted_at is null and p.deleted_at is null`,
    [id],
  );
  if (!board) throw new Refusal("board_not_found", `there is no board ${id}`);
  return board;
}

export async function columnsOf(store: Reader, boardId: string): Promise<BoardColumn[]> {
  const rows = await store.all<Pick<ColumnRow, "id" | "name" | "category" | "card_limit">>(
    "select id, name, category, card_limit from board_column where board_id = $1 order by position, id",
    [boardId],
  );
  return rows.map(({ id, name, category, card_limit }) => ({ id, name, category, limit: card_limit }));
}

interface CountRow extends Row {
  shown: number;
  every: number;
  tokens: number;
  agent: number;
  overdue: number;
}

/** Numbers stop at a bound, so that no column is ever too long to be counted. */
async function countCards(store: Reader, columns: readonly { id: string }[], filter: CardFilter): Promise<BoardCounts> {
  const totals: Totals = { all: 0, tokens: 0, agent: 0, overdue: 0 };
  const counted: ColumnCount[] = [];
  for (const { id } of columns) {
    const total = await countLive(store, id);
    const long = total === limits.countedCards && !filter.archived;
    const end = long ? await endOfLook(store, id) : endOfAll;
    const params = [...filterParams(filter), id, ...end];
    const row = await store.one<CountRow>(filter.archived ? countArchived : countShown, params);
    counted.push({ id, total, count: row?.shown ?? 0 });
    totals.all += row?.every ?? 0;
    totals.tokens += row?.tokens ?? 0;
    totals.agent += row?.agent ?? 0;
    totals.overdue += row?.overdue ?? 0;
  }
  return { columns: counted, totals };
}

export async function countLive(store: Reader, columnId: string): Promise<number> {
  const row = await store.one<{ cards: number }>(
    "select count(*) as cards from (select 1 from ticket where column_id = $1 and live = 1 limit $2) counted",
    [columnId, limits.countedCards],
  );
  return row?.cards ?? 0;
}

const sumOf = (condition: string) => `case when ${condition} then 1 else 0 end`;

const count = (places: string) => `select coalesce(sum(found.shown), 0) as shown, count(found.shown) as every,
    coalesce(sum(found.tokens), 0) as tokens, coalesce(sum(found.agent), 0) as agent,
    coalesce(sum(found.overdue), 0) as overdue
  from (select ${sumOf(quickCondition)} as shown, ${sumOf(quickConditions.tokens)} as tokens,
      ${sumOf(quickConditions.agent)} as agent, ${sumOf(quickConditions.overdue)} as overdue
    from board_column c join ticket t on t.column_id = c.id where c.id = $14 and ${places} and ${filterCondition}) as found`;

const countShown = count("t.live = 1 and (t.position, t.id) < ($15, $16)");
const countArchived = count(
  "t.archived_at is not null and t.deleted_at is null and (t.archived_at, t.id) < ($15, $16)",
);
