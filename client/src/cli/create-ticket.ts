import { type IntakeError, isApiError, type Logger, type Ticket, TicketsClient } from "../tickets.ts";
import type { CreateTicket } from "../types.ts";

/** What a ticket is made of, in the words of the flags. */
export interface TicketFields {
  title: string;
  description?: string | undefined;
  project?: string | undefined;
  board?: string | undefined;
  column?: string | undefined;
  priority?: CreateTicket["priority"] | undefined;
  assignee?: string | undefined;
  repository?: string | undefined;
  starts?: string | undefined;
  due?: string | undefined;
  /** A new one when absent. */
  "idempotency-key"?: string | undefined;
}

/** A ticket as a command line orders it. */
export interface Order {
  url: string;
  token: string;
  fields: TicketFields;
  /** Told, a line at a time, what whoever watches may want to know. */
  note(text: string): void;
}

/** A job has time: more tries than an app would make, and waits of a minute between them. */
const patience = { maxRetries: 4, deadlineMs: 600_000 };

/** Creates a ticket; tells of a new key, of every wait, and of a key that was used before. */
export async function createTicket({ url, token, fields, note }: Order): Promise<Ticket> {
  const tickets = new TicketsClient({ baseUrl: url, token, ...patience, logger: waitsTo(note) });
  const given = fields["idempotency-key"];
  const idempotencyKey = given ?? crypto.randomUUID();
  if (given === undefined) note(`Idempotency-Key: ${idempotencyKey}`);
  const { data, replayed, mismatch } = await tickets.create(bodyOf(fields), { idempotencyKey }).withResponse();
  if (replayed) note("this key was used before: the ticket of then, nothing new was created");
  if (mismatch) note("and the body of then was another one");
  return data;
}

/** What went wrong, on one line. */
export function explain(error: IntakeError): string {
  if (!isApiError(error)) return error.message;
  const { code, requestId, details } = error;
  // The server says nothing about a refused token; here is who can do something about it.
  const message =
    code === "invalid_api_token" ? "the token is unknown or revoked; an admin can create a new one" : error.message;
  const faults = Array.isArray(details) ? details.map(({ path, message }) => `${path || "body"}: ${message}`) : [];
  return [`${code}:`, message, ...faults, ...(requestId ? [`(request ${requestId})`] : [])].join(" ");
}

/** Typed wrongly, rather than refused: nothing was sent. */
export function isWrongUse({ name }: IntakeError): boolean {
  return name === "IntakeError" || name === "LimitError";
}

/** JSON leaves out what is undefined. */
function bodyOf(fields: TicketFields): CreateTicket {
  return {
    title: fields.title,
    description: fields.description,
    projectId: fields.project,
    boardId: fields.board,
    columnId: fields.column,
    priority: fields.priority,
    assigneeUserId: fields.assignee,
    agentRepositoryId: fields.repository,
    startsAt: fields.starts,
    dueAt: fields.due,
  } as CreateTicket;
}

function waitsTo(note: (text: string) => void): Logger {
  const silent = () => {};
  return {
    debug(_, { waitMs, error }) {
      const { code, message } = error as { code?: string; message: string };
      note(`${code ?? message}; trying again in ${(Number(waitMs) / 1000).toFixed(1)} s`);
    },
    info: silent,
    warn: silent,
    error: silent,
  };
}
