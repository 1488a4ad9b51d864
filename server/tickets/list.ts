import { type ListedFieldName, listedFields, storedFields } from "../../openapi/schema/ticket-fields.ts";
import { presentFields, type StoredTicket, selectFields, type TicketRow } from "../activity/ticket-row.ts";
import { type Context, Refusal, requireAdmin } from "../core/context.ts";
import { decodeCursor, encodeCursor, lowest, type Page, type PageInput } from "../core/page.ts";
import type { Reader, Row } from "../core/store.ts";

interface TicketSummary extends Pick<StoredTicket, ListedFieldName> {
  id: string;
  author: string;
  createdAt: string;
}

interface ColumnRow extends Row {
  id: string;
  board_id: string;
  project_id: string;
}

const rowColumns = `t.id, t.column_id, t.position, t.author_name, t.created_at,
  ${selectFields(storedFields.filter((name) => (listedFields as readonly string[]).includes(name)))}`;

/**
 * Lists tickets column by column, from the top, as boards show them, so archived ones are left out. With a project it
 * lists those of the project. Each column is read along its own index, so a page costs the same however many tickets
 * there are.
 */
export async function listTickets({
  ctx,
  input,
}: {
  ctx: Context;
  input: PageInput & { projectId?: string | undefined };
}): Promise<Page<TicketSummary>> {
  requireAdmin(ctx);
  const columns = await orderedColumns(ctx.store, input.projectId);
  const [startColumn, startPosition = lowest, startId = ""] = decodeCursor(input.cursor, [
    "string",
    "number",
    "string",
  ]);
  const first = startColumn === undefined ? 0 : columns.findIndex(({ id }) => id === startColumn);
  if (first < 0) throw new Refusal("conflict", "the column that this cursor stopped in is gone; start over");

  const items: TicketSummary[] = [];
  let last: [string, number, string] | undefined;
  for (const column of columns.slice(first)) {
    const [position, id] = column.id === startColumn ? [startPosition, startId] : [lowest, ""];
    const rows = await ctx.store.all<TicketRow>(
      `select ${rowColumns} from ticket t
       where column_id = $1 and live = 1 and (position, id) > ($2, $3) order by position, id limit $4`,
      [column.id, position, id, input.limit + 1 - items.length],
    );
    for (const row of rows) {
      if (items.length === input.limit && last) return { items, next: encodeCursor(last) };
      items.push(present(column, row));
      last = [column.id, row.position, row.id];
    }
  }
  return { items, next: null };
}

async function orderedColumns(store: Reader, projectId: string | undefined): Promise<ColumnRow[]> {
  const order = "order by p.position, p.id, b.position, b.id, c.position, c.id";
  const from = `select c.id, c.board_id, b.project_id from board_column c
    join board b on b.id = c.board_id join project p on p.id = b.project_id
    where b.deleted_at is null and p.deleted_at is null`;
  if (projectId === undefined) return store.all<ColumnRow>(`${from} ${order}`);
  const project = await store.one("select id from project where id = $1 and deleted_at is null", [projectId]);
  if (!project) throw new Refusal("project_not_found", `there is no project ${projectId}`);
  return store.all<ColumnRow>(`${from} and p.id = $1 ${order}`, [projectId]);
}

function present(column: ColumnRow, row: TicketRow): TicketSummary {
  return {
    id: row.id,
    ...presentFields({ ...row, board_id: column.board_id, project_id: column.project_id }, listedFields),
    author: row.author_name,
    createdAt: new Date(row.created_at).toISOString(),
  };
}
