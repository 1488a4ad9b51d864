import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { ErrorBody } from "../../openapi/schema/errors.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { CreateTicket, Ticket } from "../../openapi/schema/ticket.ts";

/** Where a request to the ticket API goes: the route in this process, or a server over HTTP. */
export type SendTicket = (request: { body: string; idempotencyKey: string }) => Promise<Response>;

/** The one tool: the fields of the ticket API, and the key that makes a repeat harmless. */
export const createTicketTool: Tool = {
  name: "create_ticket",
  title: "Create a ticket",
  description: [
    "Creates a card on a board, durably and exactly once.",
    "Send the same idempotencyKey again when no answer came: the answer is the first ticket, and no second one is created.",
    `At most ${limits.requestsPerWindow} calls a minute per token; a refusal says what to do.`,
    "Assigning the ticket to the organisation's AI agent queues an autonomous run: that consumes credits and may open a pull request.",
  ].join(" "),
  inputSchema: {
    ...(plain(CreateTicket) as Tool["inputSchema"]),
    properties: {
      ...(plain(CreateTicket.properties) as Record<string, object>),
      idempotencyKey: {
        type: "string",
        minLength: limits.idempotencyKeyMin,
        maxLength: limits.idempotencyKeyMax,
        description: "The same key never makes a second ticket, for ever. A new one is made when absent, and told.",
      },
    },
  },
  outputSchema: {
    ...(plain(Ticket) as NonNullable<Tool["outputSchema"]>),
    properties: {
      ...(plain(Ticket.properties) as Record<string, object>),
      idempotencyKey: { type: "string", description: "The key that it is bound to." },
      replayed: { type: "boolean", description: "The key was used before: this is the ticket of then." },
    },
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};

/** Calls the ticket API. What it refuses is the tool's error, with the code, the words and the faults of the API. */
export async function callCreateTicket(args: Record<string, unknown>, send: SendTicket): Promise<CallToolResult> {
  const { idempotencyKey = crypto.randomUUID(), ...ticket } = args;
  // A header's bytes are the key, so other characters would be other keys from one program to the next.
  if (typeof idempotencyKey !== "string" || !/^[\x20-\x7e]+$/.test(idempotencyKey)) {
    return refused({ error: "invalid_idempotency_key", message: "idempotencyKey must be a text of ASCII characters." });
  }
  const response = await send({ body: JSON.stringify(ticket), idempotencyKey });
  const answer = (await response.json()) as Record<string, unknown>;
  if (response.status !== 201) return refused(answer as unknown as ErrorBody, response.headers.get("retry-after"));
  const replayed = response.headers.get("idempotent-replayed") === "true";
  return {
    structuredContent: { ...answer, idempotencyKey, replayed },
    content: [{ type: "text", text: `${replayed ? "Created before" : "Created"}: ${answer["url"]}` }],
  };
}

function refused({ error, message, details }: ErrorBody, retryAfter: string | null = null): CallToolResult {
  const told = {
    error,
    message: message ?? "The API token is missing, unknown or revoked.",
    ...(details ? { details } : {}),
    ...(retryAfter === null ? {} : { retryAfterSeconds: Number(retryAfter) }),
  };
  const faults = (details ?? []).map(({ path, message }) => `${path || "the body"}: ${message}`);
  const wait = retryAfter === null ? [] : [`Try again in ${retryAfter} s.`];
  return {
    isError: true,
    structuredContent: told,
    content: [{ type: "text", text: [`${error}: ${told.message}`, ...faults, ...wait].join(" ") }],
  };
}

/** Without what TypeBox keeps for itself. */
function plain(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema));
}
