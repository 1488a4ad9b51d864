import { Refusal } from "../core/context.ts";
import type { Step, Tx } from "../core/store.ts";
import type { PlacedTicketRow } from "./ticket-row.ts";

/** A ticket with the names of its column and board, as a change needs to know it. */
export type CardRow = PlacedTicketRow & { column_name: string; board_name: string };

export function* cardStep(tx: Tx, id: string): Step<CardRow> {
  const card = yield* tx.one<CardRow>(
    `select t.*, c.name as column_name, c.board_id, b.name as board_name, b.project_id
     from ticket t join board_column c on c.id = t.column_id join board b on b.id = c.board_id
       join project p on p.id = b.project_id
     where t.id = $1 and b.deleted_at is null and p.deleted_at is null`,
    [id],
  );
  if (!card) throw new Refusal("not_found", `there is no ticket ${id}`);
  return card;
}

/** Reads a card that is on its board. An archived or deleted card is refused: it has to be put back first. */
export function* liveCardStep(tx: Tx, id: string): Step<CardRow> {
  const card = yield* cardStep(tx, id);
  if (card.deleted_at !== null) throw new Refusal("conflict", "this card is deleted; restore it first");
  if (card.archived_at !== null) throw new Refusal("conflict", "this card is archived; unarchive it first");
  return card;
}
