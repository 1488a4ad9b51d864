import type { Example } from "../model/openapi.ts";
import { errors } from "../schema/errors.ts";
import type { Ticket } from "../schema/ticket.ts";
import { fieldEntries, type TicketField, ticketFields } from "../schema/ticket-fields.ts";

const agentUserId = "019a9c1e-6d00-7f05-84ea-6f80a1c24d53";
const agentRepositoryId = "019a9c1e-6d00-7f06-b5fb-7091b2d35e64";

/** Bodies that create a ticket. */
export const ticketRequests = {
  minimal: {
    summary: "A title is enough where the token reaches one project",
    value: { title: ticketFields.title.example },
  },
  complete: {
    summary: "Every member",
    value: exampleOf(() => true),
  },
  forTheAgent: {
    summary: "Queues a run of the AI agent: consumes credits and may open a pull request",
    value: { title: "Update the licence headers", assigneeUserId: agentUserId, agentRepositoryId },
  },
} as const satisfies Record<string, Example>;

export const createdTicket = {
  created: {
    summary: "The ticket was created, or was created before with the same Idempotency-Key",
    value: {
      id: "019a9c1e-6d02-7b1f-8c44-6a2d9be0f0e3",
      ...(exampleOf(
        ({ answer, required, column }) => answer !== undefined && (required || column === undefined),
      ) as Omit<Ticket, "id" | "createdAt" | "url">),
      createdAt: "2026-11-21T12:30:00.000Z",
      url: "http://127.0.0.1:3000/cards/019a9c1e-6d02-7b1f-8c44-6a2d9be0f0e3",
    } satisfies Ticket,
  },
} satisfies Record<string, Example>;

/** What is wrong with a body that has every fault at once, one member each. */
export const invalidTicket: Example = {
  summary: "Every fault of the body is named",
  value: {
    error: "invalid_input",
    message: errors.invalid_input.message,
    details: [
      { path: "/title", code: "required", message: "title is required." },
      { path: "/projectId", code: "bad_format", message: "projectId must be a UUID." },
      { path: "/priority", code: "bad_value", message: "priority must be one of none, low, medium, high." },
      {
        path: "/dueAt",
        code: "bad_format",
        message: "dueAt must be a day that exists, written YYYY-MM-DD.",
      },
      { path: "/colour", code: "unknown_field", message: "This field is not known. Leave it out." },
    ],
  },
};

/** Each field that fits, with the example of its declaration. */
function exampleOf(fits: (field: TicketField) => boolean | undefined): Record<string, unknown> {
  return Object.fromEntries(fieldEntries.flatMap(([name, field]) => (fits(field) ? [[name, field.example]] : [])));
}
