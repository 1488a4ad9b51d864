import {
  type PlainFieldName,
  plainFields,
  type ReferenceFieldName,
  referenceFields,
} from "../../openapi/schema/ticket-fields.ts";
import type { ActorView } from "../activity/activity.ts";
import {
  type ColumnOf,
  type PlacedTicketRow,
  presentFields,
  type StoredTicket,
  selectFields,
} from "../activity/ticket-row.ts";
import { type HasOnlineRunner, reasonOf } from "../agents/online-runners.ts";

/** A card as a board shows it. The description is left out, because boards have many cards. */
export interface CardSummary extends Pick<StoredTicket, "title" | "columnId" | "boardId" | PlainFieldName> {
  id: string;
  /** With the id, the order in the column. */
  position: number;
  assignee: { id: string; name: string; kind: "member" | "agent"; removed: boolean } | null;
  /** The author, with the name at the time of the creation. */
  author: ActorView;
  repositoryId: string | null;
  createdAt: string;
  moves: number;
  run: { id: string; state: string; reason: string | null } | null;
  archivedAt: string | null;
  deletedAt: string | null;
}

const rowColumns = [
  ...(["id", "title", "column_id", "position", "created_at", "moves", "archived_at", "deleted_at"] as const),
  ...(["token_id", "author_id", "author_name"] as const),
];

export type SummaryRow = Pick<
  PlacedTicketRow,
  (typeof rowColumns)[number] | ColumnOf<PlainFieldName | ReferenceFieldName> | "board_id"
> & {
  assignee_name: string | null;
  assignee_role: string | null;
  assignee_removed_at: number | null;
  run_id: string | null;
  run_state: string | null;
  run_reason: string | null;
  run_project_id: string | null;
};

export const summaryColumns = `${rowColumns.map((column) => `t.${column}`).join(", ")},
  ${selectFields([...plainFields, ...referenceFields])}, c.board_id,
  a.name as assignee_name, a.role as assignee_role, a.removed_at as assignee_removed_at,
  r.id as run_id, r.state as run_state, r.reason as run_reason, r.project_id as run_project_id`;

/** To be followed by the condition. */
export const summaryTables = `board_column c join ticket t on t.column_id = c.id
  left join member a on a.id = t.assignee_id
  left join agent_run r on r.id = (select max(id) from agent_run where ticket_id = t.id)`;

export function presentSummary(row: SummaryRow, reaches: HasOnlineRunner): CardSummary {
  return {
    id: row.id,
    title: row.title,
    columnId: row.column_id,
    boardId: row.board_id,
    position: row.position,
    ...presentFields(row, plainFields),
    assignee:
      row.assignee_id === null
        ? null
        : {
            id: row.assignee_id,
            name: row.assignee_name ?? "",
            kind: row.assignee_role === "agent" ? "agent" : "member",
            removed: row.assignee_removed_at !== null,
          },
    author: {
      kind: row.token_id === null ? "member" : "token",
      id: row.token_id ?? row.author_id,
      name: row.author_name,
    },
    repositoryId: row.repository_id,
    createdAt: new Date(row.created_at).toISOString(),
    moves: row.moves,
    run: row.run_id === null ? null : presentRun(row.run_id, row, reaches),
    archivedAt: timeOf(row.archived_at),
    deletedAt: timeOf(row.deleted_at),
  };
}

function presentRun(
  id: string,
  { run_state, run_reason, run_project_id }: SummaryRow,
  reaches: HasOnlineRunner,
): CardSummary["run"] {
  const state = run_state ?? "";
  return { id, state, reason: reasonOf({ state, reason: run_reason, project_id: run_project_id }, reaches) };
}

export function timeOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
