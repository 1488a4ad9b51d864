import type { ActorView } from "../activity/activity.ts";
import { type RunnerReach, reasonOf } from "../agents/runner-reach.ts";
import type { Row } from "../core/store.ts";

/** What a board shows of a card. The description is not part of it: boards are large. */
export interface CardSummary {
  id: string;
  title: string;
  columnId: string;
  boardId: string;
  /** With the id, the order in the column. */
  position: number;
  priority: string;
  startsAt: string | null;
  dueAt: string | null;
  assignee: { id: string; name: string; kind: "member" | "agent"; removed: boolean } | null;
  /** Who made it, under the name of then. */
  author: ActorView;
  repositoryId: string | null;
  createdAt: string;
  moves: number;
  run: { id: string; state: string; reason: string | null } | null;
  archivedAt: string | null;
  deletedAt: string | null;
}

export interface SummaryRow extends Row {
  id: string;
  title: string;
  column_id: string;
  board_id: string;
  position: number;
  priority: string;
  starts_at: string | null;
  due_at: string | null;
  created_at: number;
  moves: number;
  archived_at: number | null;
  deleted_at: number | null;
  token_id: string | null;
  author_id: string | null;
  author_name: string;
  repository_id: string | null;
  assignee_id: string | null;
  assignee_name: string | null;
  assignee_role: string | null;
  assignee_removed_at: number | null;
  run_id: string | null;
  run_state: string | null;
  run_reason: string | null;
  run_project_id: string | null;
}

export const summaryColumns = `t.id, t.title, t.column_id, c.board_id, t.position, t.priority, t.starts_at, t.due_at,
  t.created_at, t.moves, t.archived_at, t.deleted_at, t.token_id, t.author_id, t.author_name, t.repository_id, t.assignee_id,
  a.name as assignee_name, a.role as assignee_role, a.removed_at as assignee_removed_at,
  r.id as run_id, r.state as run_state, r.reason as run_reason, r.project_id as run_project_id`;

/** To be followed by the condition. */
export const summaryTables = `board_column c join ticket t on t.column_id = c.id
  left join member a on a.id = t.assignee_id
  left join agent_run r on r.id = (select max(id) from agent_run where ticket_id = t.id)`;

export function presentSummary(row: SummaryRow, reaches: RunnerReach): CardSummary {
  return {
    id: row.id,
    title: row.title,
    columnId: row.column_id,
    boardId: row.board_id,
    position: row.position,
    priority: row.priority,
    startsAt: row.starts_at,
    dueAt: row.due_at,
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
  reaches: RunnerReach,
): CardSummary["run"] {
  const state = run_state ?? "";
  return { id, state, reason: reasonOf({ state, reason: run_reason, project_id: run_project_id }, reaches) };
}

export function timeOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
