import { Refusal } from "../core/context.ts";
import type { Row, Step, Tx } from "../core/store.ts";

/** A card with the place it stands in, as a change needs to know it. */
export interface CardRow extends Row {
  id: string;
  title: string;
  description: string | null;
  priority: string;
  starts_at: string | null;
  due_at: string | null;
  position: number;
  version: number;
  moves: number;
  moved_at: number | null;
  moved_by: string | null;
  archived_at: number | null;
  deleted_at: number | null;
  assignee_id: string | null;
  repository_id: string | null;
  column_id: string;
  column_name: string;
  board_id: string;
  board_name: string;
  project_id: string;
}

export function* cardStep(tx: Tx, id: string): Step<CardRow> {
  const card = yield* tx.one<CardRow>(
    `select t.id, t.title, t.description, t.priority, t.starts_at, t.due_at, t.position, t.version, t.moves,
       t.moved_at, t.moved_by, t.archived_at, t.deleted_at, t.assignee_id, t.repository_id, t.column_id,
       c.name as column_name, c.board_id, b.name as board_name, b.project_id
     from ticket t join board_column c on c.id = t.column_id join board b on b.id = c.board_id
       join project p on p.id = b.project_id
     where t.id = $1 and b.deleted_at is null and p.deleted_at is null`,
    [id],
  );
  if (!card) throw new Refusal("not_found", `there is no ticket ${id}`);
  return card;
}

/** A card that stands on its board; what was put away comes back first. */
export function* liveCardStep(tx: Tx, id: string): Step<CardRow> {
  const card = yield* cardStep(tx, id);
  if (card.deleted_at !== null) throw new Refusal("conflict", "this card is deleted; restore it first");
  if (card.archived_at !== null) throw new Refusal("conflict", "this card is archived; unarchive it first");
  return card;
}
