import { headerReferences } from "../components/headers.ts";
import { ticketServers } from "../components/servers.ts";
import { createdTicket, invalidTicket, ticketRequests } from "../examples/tickets.ts";
import { type Operation, reference } from "../model/openapi.ts";
import { limits } from "../schema/limits.ts";
import { limited, refusals } from "./refusals.ts";

export const createTicket: Operation = {
  operationId: "createTicket",
  summary: "Create a ticket",
  description: [
    "Creates a card on a board. There is no update and no attachment in v1: a token cannot change a ticket later.",
    "Where it goes: without projectId to the token's only project, without boardId to the first board, without columnId to the leftmost column.",
    `At most ${limits.requestsPerWindow} requests in any ${limits.windowSeconds} seconds per token unless an admin has set another limit; repeats and refused ones count.`,
  ].join("\n\n"),
  tags: ["Tickets"],
  security: [{ apiToken: [] }],
  servers: ticketServers(),
  parameters: [{ $ref: "#/components/parameters/IdempotencyKey" }],
  requestBody: {
    required: true,
    description: `The ticket, in UTF-8. A member that is not known is an error. At most ${limits.ticketBodyBytes.toLocaleString("en")} bytes.`,
    content: { "application/json": { schema: reference("CreateTicket"), examples: ticketRequests } },
  },
  responses: {
    201: {
      description: "The ticket was created, or the key was used before and this is the first answer, byte for byte.",
      headers: headerReferences([...limited, "Location", "Idempotent-Replayed", "Idempotency-Mismatch"]),
      content: { "application/json": { schema: reference("Ticket"), examples: createdTicket } },
    },
    ...refusals("createTicket", { invalid_input: { invalid_input: invalidTicket } }),
  },
};
