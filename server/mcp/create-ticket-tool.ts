import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { ErrorBody } from "../../openapi/schema/errors.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { CreateTicket, Ticket } from "../../openapi/schema/ticket.ts";

/** Sends a request to the ticket API: to the route in this process, or to a server over HTTP. */
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

/** Calls the ticket API. A refusal becomes an error of the tool, with the code, the message and the faults of the API. */
export async function callCreateTicket(args: Record<string, unknown>, send: SendTicket): Promise<CallToolResult> {
  const { idempotencyKey = crypto.randomUUID(), ...ticket } = args;
  // A header's bytes are the key, so other characters would be other keys from one program to the next.
  if (typeof idempotencyKey !== "string" || !/^[\x20-\x7e]+$/.test(idempotencyKey)) {
    return refused({ error: "invalid_idempotency_key", message: "idempotencyKey must be a text of ASCII characters." });
  }
  const response = await send({ body: JSON.stringify(ticket), idempotencyKey });
  const answer = await bodyOf(response);
  if (response.status !== 201) return refused({ ...answer, ...waitOf(response), idempotencyKey });
  const replayed = response.headers.get("idempotent-replayed") === "true";
  const created = { ...answer, idempotencyKey, replayed };
  return { structuredContent: created, content: asText(created) };
}

/**
 * A refusal stands in the text alone: `structuredContent` must be what `outputSchema` promises, a ticket, and clients that
 * check it throw another answer away before anybody reads the reason.
 */
function refused(refusal: Partial<ErrorBody> & Record<string, unknown>): CallToolResult {
  const message = "The API token is missing, unknown or revoked.";
  return { isError: true, content: asText({ error: refusal.error, message, ...refusal }) };
}

/** The answer as text, for clients that do not know `structuredContent` and for the model. */
function asText(value: object): CallToolResult["content"] {
  return [{ type: "text", text: JSON.stringify(value) }];
}

/** Reads the answer. A proxy between the server and its callers may answer with an HTML page instead of JSON. */
async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  const body: unknown = await response.json().catch(() => undefined);
  if (typeof body === "object" && body !== null && (response.status === 201 || "error" in body)) return { ...body };
  return { error: `http_${response.status}`, message: `The answer ${response.status} is not Intake's.` };
}

function waitOf({ headers }: Response): { retryAfterSeconds?: number } {
  const seconds = headers.get("retry-after");
  return seconds !== null && /^\d+$/.test(seconds) ? { retryAfterSeconds: Number(seconds) } : {};
}

/** A schema as plain JSON, without the symbols of TypeBox. */
function plain(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema));
}
