import { plainFields, type TicketField, ticketFields } from "../../../../../openapi/schema/ticket-fields.ts";
import type { StoredTicket } from "../../../../activity/ticket-row.ts";
import type { CardSummary } from "../../../../tickets/card-summary.ts";

/** The fields of a card to which nothing was given. */
const plain = Object.fromEntries(
  plainFields.map((name) => [name, (ticketFields[name] as TicketField).schema.default ?? null]),
) as Pick<StoredTicket, (typeof plainFields)[number]>;

/** Makes a card for tests; fields that are not given are empty. */
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
