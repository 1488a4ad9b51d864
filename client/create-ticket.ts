/** What the server's error answers say; `status` 0 when there was no answer at all. */
export class TicketError extends Error {
  override name = "TicketError";
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId?: string,
  ) {
    super(message);
  }
}

export interface CreateTicketCall {
  /** Where Intake answers, without trailing slash. */
  baseUrl: string;
  token: string;
  /** The body as `POST /api/v1/tickets` takes it. */
  ticket: Record<string, unknown>;
  /** Sent with every try, so that a lost answer never makes a second ticket. 1 to 255 characters. */
  idempotencyKey: string;
}

export interface CreatedTicket {
  /** The answer, members that are not known here included. */
  ticket: { id: string; url: string; [member: string]: unknown };
  /** The key was used before: this is the ticket of then. */
  replayed: boolean;
  /** And the body of then was another one. */
  mismatch: boolean;
}

const tries = 5;
const triesMilliseconds = 30_000;
const waitMaxMilliseconds = 60_000;

/**
 * Creates a ticket. A connection that fails, a 408, 429 or 5xx is tried again, five times in all, as late as
 * `Retry-After` says; one of more than a minute is an error at once.
 *
 * @throws {TicketError} with the server's code; the token stands in no message.
 */
export async function createTicket(call: CreateTicketCall): Promise<CreatedTicket> {
  const body = JSON.stringify(call.ticket);
  for (let attempt = 1; ; attempt++) {
    const outcome = await once(call, body).catch((error: unknown) => unreachable(call.baseUrl, error));
    if (!(outcome instanceof Failed)) return outcome;
    const wait = outcome.waitMilliseconds ?? 500 * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
    if (!outcome.again || attempt === tries || wait > waitMaxMilliseconds) throw outcome.error;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

class Failed {
  constructor(
    readonly error: TicketError,
    readonly again: boolean,
    readonly waitMilliseconds?: number,
  ) {}
}

async function once(call: CreateTicketCall, body: string): Promise<CreatedTicket | Failed> {
  const response = await fetch(`${call.baseUrl}/api/v1/tickets`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${call.token}`,
      "content-type": "application/json",
      "idempotency-key": call.idempotencyKey,
    },
    body,
    redirect: "error",
    signal: AbortSignal.timeout(triesMilliseconds),
  });
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (response.status === 201 && typeof answer["id"] === "string" && typeof answer["url"] === "string") {
    return {
      ticket: answer as CreatedTicket["ticket"],
      replayed: response.headers.has("idempotent-replayed"),
      mismatch: response.headers.has("idempotency-mismatch"),
    };
  }
  const { status } = response;
  const code = typeof answer["error"] === "string" ? answer["error"] : `http_${status}`;
  const error = new TicketError(
    status,
    code,
    sentence(code, answer),
    response.headers.get("x-request-id") ?? undefined,
  );
  const retryAfter = /^\d+$/.exec(response.headers.get("retry-after") ?? "")?.[0];
  const wait = retryAfter === undefined ? undefined : Number(retryAfter) * 1_000;
  const again = status === 408 || status === 429 || status >= 500 || status === 201;
  return wait === undefined ? new Failed(error, again) : new Failed(error, again, wait);
}

function sentence(code: string, { message, details }: Record<string, unknown>): string {
  const faults = Array.isArray(details)
    ? details.map(({ path, message: text }: { path: string; message: string }) => `${path || "body"}: ${text}`)
    : [];
  return [typeof message === "string" ? message : code, ...faults].join(" ");
}

function unreachable(baseUrl: string, error: unknown): Failed {
  const reason = error instanceof Error && error.name === "TimeoutError" ? "no answer within 30 s" : "no connection";
  return new Failed(new TicketError(0, "unreachable", `cannot reach ${baseUrl}: ${reason}`), true);
}
