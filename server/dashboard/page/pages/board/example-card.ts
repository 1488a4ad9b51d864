import { plainFields, type TicketField, ticketFields } from "../../../../../openapi/schema/ticket-fields.ts";
import type { StoredTicket } from "../../../../activity/ticket-row.ts";
import type { CardSummary } from "../../../../tickets/card-summary.ts";

/** Fields of a card of which nothing was said. */
const plain = Object.fromEntries(
  plainFields.map((name) => [name, (ticketFields[name] as TicketField).schema.default ?? null]),
) as Pick<StoredTicket, (typeof plainFields)[number]>;

/** A card for tests: what is not given is empty. */
export function exampleCard(given: Partial<CardSummary>): CardSummary {
  return {
    id: "c",
    title: "A card",
    columnId: "x",
    boardId: "b",
    position: 1,
    ...plain,
    assignee: null,
    author: { kind: "member", id: "m", name: "M" },
    createdAt: "2026-01-01T00:00:00.000Z",
    moves: 0,
    run: null,
    repositoryId: null,
    archivedAt: null,
    deletedAt: null,
    ...given,
  };
}
