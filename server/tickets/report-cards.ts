import type { TicketRow } from "../activity/ticket-row.ts";
import type { Reader, Step, Tx } from "../core/store.ts";

/** A card that was made from a report. */
export interface CardLink {
  id: string;
  title: string;
  archived: boolean;
}

export async function cardsOf(store: Reader, eventId: string): Promise<CardLink[]> {
  const rows = await store.all<Pick<TicketRow, "id" | "title" | "archived_at">>(
    `select t.id, t.title, t.archived_at from report_card r join ticket t on t.id = r.ticket_id
     where r.event_id in ($1) and t.deleted_at is null order by t.id limit 50`,
    [eventId],
  );
  return rows.map(({ id, title, archived_at }) => ({ id, title, archived: archived_at !== null }));
}

export function* linkCardStep(tx: Tx, ticketId: string, eventIds: readonly string[]): Step<void> {
  for (const eventId of eventIds) {
    yield* tx.run(
      `insert into report_card (event_id, ticket_id) select id, $2 from event where id = $1
       on conflict (event_id, ticket_id) do nothing`,
      [eventId, ticketId],
    );
  }
}
