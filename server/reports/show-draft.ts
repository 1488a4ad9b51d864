import type { Context } from "../core/context.ts";
import type { Row } from "../core/store.ts";
import { type CardLink, cardsOf } from "../tickets/report-cards.ts";
import { type CardDraft, draftCard } from "./draft-card.ts";

/** What the form for a card from reports begins with. */
interface ShownDraft extends CardDraft {
  /** Cards that were made earlier from any of the reports. */
  cards: CardLink[];
  /** Columns that the card can be created in, in the order of the project's boards. */
  columns: { id: string; name: string; board: string }[];
}

const columnsMax = 500;

export async function showDraft({
  ctx,
  input: { reportIds },
}: {
  ctx: Context;
  input: { reportIds: readonly string[] };
}): Promise<ShownDraft> {
  const { projectId, title, description } = await draftCard({ ctx, input: { reportIds } });
  const cards = new Map<string, CardLink>();
  for (const id of reportIds) for (const card of await cardsOf(ctx.store, id)) cards.set(card.id, card);
  const columns = await ctx.store.all<{ id: string; name: string; board: string } & Row>(
    `select c.id, c.name, b.name as board from board b join board_column c on c.board_id = b.id
     where b.project_id = $1 and b.archived_at is null and b.deleted_at is null
     order by b.position, b.id, c.position, c.id limit ${columnsMax}`,
    [projectId],
  );
  return { title, description, cards: [...cards.values()], columns };
}
