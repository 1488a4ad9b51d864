import {
  type CreatedTicket,
  type CreateTicket,
  isApiError,
  isIntakeError,
  type Logger,
  RateLimitError,
  type Ticket,
  type TicketError,
  TicketsClient,
  type TicketsOptions,
} from "@intake/client/tickets";

const silent = () => {};
const logger: Logger = { debug: silent, info: silent, warn: silent, error: silent };

/** Every option, and every optional one set to undefined. */
export const options: TicketsOptions[] = [
  { baseUrl: "https://intake.example.org", token: "itk_" },
  {
    baseUrl: "https://intake.example.org",
    token: async () => "itk_",
    allowBrowser: true,
    timeoutMs: 30_000,
    deadlineMs: 120_000,
    maxRetries: 2,
    maxRetryAfterMs: 60_000,
    logger,
  },
  {
    baseUrl: "https://intake.example.org",
    token: () => "itk_",
    allowBrowser: undefined,
    fetch: undefined,
    timeoutMs: undefined,
    logger: undefined,
  },
];

export async function create(tickets: TicketsClient): Promise<string> {
  const ticket: CreateTicket = {
    title: "Nightly build failed",
    description: "It did.",
    projectId: "0198c0de-0000-7000-8000-000000000001",
    priority: "high",
    assigneeUserId: null,
    startsAt: "2026-11-21",
    dueAt: null,
  };
  const created: Ticket = await tickets.create(ticket, { idempotencyKey: "build-7312", maxRetries: 0 });
  const whole: CreatedTicket = await tickets.create({ title: "Another" }).withResponse();
  const replayed: boolean = whole.replayed;
  const status: number = whole.response.status;
  const requestId: string | undefined = whole.requestId;
  return [created.url, created.createdAt, whole.data.id, whole.idempotencyKey, replayed, status, requestId].join();
}

/** Every code has its case; a code of a newer server reaches `default`. */
export function advice(error: unknown): string {
  if (!isApiError<TicketError>(error)) return isIntakeError(error) ? error.message : "not ours";
  switch (error.code) {
    case "invalid_input":
      return (error.details ?? []).map(({ path, code, message }) => `${path} ${code} ${message}`).join();
    case "project_required":
    case "invalid_date_range":
    case "not_a_member":
    case "invalid_agent_repository":
    case "invalid_idempotency_key":
      error.status satisfies 400;
      return error.message;
    case "invalid_api_token":
      error.status satisfies 401;
      return error.message;
    case "insufficient_scope":
      return error.message;
    case "project_not_found":
    case "board_not_found":
    case "column_not_found":
      error.status satisfies 404;
      return error.message;
    case "rate_limit_exceeded":
      return `again in ${error.retryAfterMs ?? 0} ms`;
    case "request_timeout":
    case "internal_error":
    case "service_unavailable":
      return error.requestId ?? "";
    default:
      error satisfies never;
      return "a newer server's";
  }
}

export function wait(error: unknown): number | undefined {
  return error instanceof RateLimitError ? error.retryAfterMs : undefined;
}

export const client = (given: TicketsOptions) => new TicketsClient(given);
