import { backoffMs, isTransient } from "../core/send-with-retries.ts";
import { withTimeout } from "../core/with-timeout.ts";
import { ticketFlags } from "../generated/ticket-flags.ts";
import { type IntakeError, isApiError, isIntakeError, type Ticket, TicketsClient } from "../tickets.ts";
import type { CreateTicket } from "../types.ts";

/** The fields of a ticket, under the names of the flags; a list is one text with commas between its items. */
export interface TicketFields extends Partial<Record<keyof typeof ticketFlags, string | undefined>> {
  title: string;
  /** The idempotency key; a new one when absent. */
  "idempotency-key"?: string | undefined;
}

/** The order of a command line to create a ticket. */
interface Order {
  url: string;
  token: string;
  fields: TicketFields;
  /** How long after the start further tries may begin, in milliseconds; two minutes when absent, 0 means one try. */
  waitMs?: number | undefined;
  /** Called with one line of text for people: a new key, a wait, a replay. */
  note(text: string): void;
}

/** Default of how long tries continue: long enough for a restart, or for restoring a copy of the server. */
export const usualWaitMs = 120_000;
const backoffMaxMs = 10_000;

/** Creates a ticket. Reports a new key, every wait, and a key that was used before. */
export async function createTicket({ url, token, fields, waitMs = usualWaitMs, note }: Order): Promise<Ticket> {
  // Each try is a call of its own, so that no wait cuts a try short.
  const tickets = new TicketsClient({ baseUrl: url, token, maxRetries: 0 });
  const given = fields["idempotency-key"];
  const idempotencyKey = given ?? crypto.randomUUID();
  if (given === undefined) note(`Idempotency-Key: ${idempotencyKey}`);
  const once = () => tickets.create(bodyOf(fields), { idempotencyKey }).withResponse();
  const { data, replayed, mismatch } = await untilAnswered(once, performance.now() + waitMs, note);
  if (replayed) note("this key was used before: the ticket of then, nothing new was created");
  if (mismatch) note("and the body of then was another one");
  return data;
}

/** Tries again while the next try begins before `until` (`performance.now()`) and repeating may help. */
export async function untilAnswered<T>(once: () => Promise<T>, until: number, note: Order["note"]): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await once();
    } catch (error) {
      if (!isIntakeError(error) || !isTransient(error)) throw error;
      const retryAfterMs = isApiError(error) ? (error.retryAfterMs ?? 0) : 0;
      const ms = Math.max(retryAfterMs, backoffMs(failures, backoffMaxMs));
      const left = until - performance.now() - ms;
      if (left <= 0) throw error;
      const reason = isApiError(error) ? error.code : error.message;
      note(`${reason}; trying again in ${(ms / 1_000).toFixed(1)} s (${Math.floor(left / 1_000)} s left)`);
      await withTimeout(ms);
    }
  }
}

/** Describes an error on one line. */
export function explain(error: IntakeError): string {
  if (!isApiError(error)) return error.message;
  const { code, requestId, details } = error;
  // The server does not say why a token is refused; this message says who can help.
  const message =
    code === "invalid_api_token" ? "the token is unknown or revoked; an admin can create a new one" : error.message;
  const faults = Array.isArray(details) ? details.map(({ path, message }) => `${path || "body"}: ${message}`) : [];
  return [`${code}:`, message, ...faults, ...(requestId ? [`(request ${requestId})`] : [])].join(" ");
}

/** Whether the call was wrong, so that nothing was sent. */
export function isWrongUse({ name }: IntakeError): boolean {
  return name === "IntakeError" || name === "LimitError";
}

/** JSON omits undefined members. */
function bodyOf(fields: TicketFields): CreateTicket {
  const members = Object.entries<{ member: string; kind: string }>(ticketFlags).map(([flag, { member, kind }]) => {
    const given = fields[flag as keyof typeof ticketFlags];
    return [member, kind === "list" ? given?.split(",").map((item) => item.trim()) : given];
  });
  return Object.fromEntries(members);
}
