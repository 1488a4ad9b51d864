import { requireBaseUrl } from "./core/base-url.ts";
import { IntakeError, LimitError } from "./core/errors.ts";
import { toJson } from "./core/json.ts";
import { type Answer, type CallOptions, send, type TransportOptions } from "./core/send-with-retries.ts";
import { requireToken } from "./core/token.ts";
import type { HttpResponse } from "./core/web-types.ts";
import { createTicket, idempotencyKeyMax } from "./generated/contract.ts";
import type { CreateTicket, Ticket } from "./types.ts";

export * from "./core/exports.ts";
export type { CreateTicket, Ticket, TicketError } from "./types.ts";

/** Options of a {@link TicketsClient}. */
export interface TicketsOptions extends TransportOptions {
  /** URL of Intake, for example `https://intake.example.org`, with the path in front of `/api` where there is one. */
  baseUrl: string;
  /** An API token (`itk_…`), or a function that returns one and is called at every try. */
  token: string | (() => string | Promise<string>);
  /**
   * Allow the client in a page. Everyone who opens the page can read the API token, so set it only for tests, or for pages
   * behind a sign-in on Intake's own origin (the ticket API has no CORS). Default: false.
   */
  allowBrowser?: boolean | undefined;
}

/** Options of {@link TicketsClient.create}. */
export interface CreateOptions extends CallOptions {
  /**
   * 1 to 255 ASCII characters; platforms disagree about the bytes of others. One token never creates a second ticket with
   * the same key. Default: a new UUID.
   */
  idempotencyKey?: string | undefined;
}

/** A ticket with details of the server's answer. */
export interface CreatedTicket {
  /** The ticket. */
  data: Ticket;
  /** True when an earlier request with this key created the ticket; `data` is then the answer to that request, unchanged. */
  replayed: boolean;
  /** True when the earlier request with this key had another body. */
  mismatch: boolean;
  /** The idempotency key that was sent: the caller's or the new UUID. */
  idempotencyKey: string;
  /** `X-Request-Id` of the answer. */
  requestId: string | undefined;
  /** The answer itself; its body has been read. */
  response: HttpResponse;
}

/** A promise of the ticket. */
export interface TicketCall extends Promise<Ticket> {
  /** Resolves to the ticket, its idempotency key, whether it was replayed, and the answer. */
  withResponse(): Promise<CreatedTicket>;
}

/**
 * Creates tickets with an API token.
 *
 * ```ts
 * const tickets = new TicketsClient({ baseUrl: "https://intake.example.org", token: process.env.INTAKE_TOKEN });
 * const ticket = await tickets.create({ title: "Nightly build failed" }, { idempotencyKey: "build-7312" });
 * console.log(ticket.url);
 * ```
 */
export class TicketsClient {
  readonly #create: (ticket: CreateTicket, options: CreateOptions) => Promise<CreatedTicket>;

  /** Throws {@link IntakeError} when `baseUrl` is no http URL, `token` is no API token, and in a page without `allowBrowser`. */
  constructor(given: TicketsOptions) {
    const options = { ...given };
    if ("document" in globalThis && !options.allowBrowser) {
      throw new IntakeError("No API token in pages: see allowBrowser.");
    }
    const server = {
      ...createTicket,
      _baseUrl: requireBaseUrl("baseUrl", options.baseUrl),
      _credential: requireToken(options.token),
    };
    this.#create = async (ticket, callOptions) => {
      const idempotencyKey = requireKey(callOptions.idempotencyKey ?? globalThis.crypto?.randomUUID?.());
      const answer: Answer<Ticket> = await send(
        {
          ...server,
          headers: { "content-type": createTicket.mediaType, "idempotency-key": idempotencyKey },
          body: toJson(ticket),
        },
        options,
        callOptions,
      );
      const { headers } = answer.response;
      return {
        ...answer,
        replayed: headers.has("idempotent-replayed"),
        mismatch: headers.has("idempotency-mismatch"),
        idempotencyKey,
      };
    };
  }

  /**
   * Creates one ticket, however many tries it takes: every try sends the same `Idempotency-Key` and the same bytes.
   * `ticket` is copied at the call. Limits in code points: title 1 to 200, description up to 20,000.
   *
   * Rejects with an {@link IntakeError}: {@link LimitError} when the idempotency key is not valid, an `ApiError` with `code`
   * when the server refuses the ticket, `ConnectionError`, `TimeoutError`, `AbortError`.
   */
  create(ticket: CreateTicket, options?: CreateOptions): TicketCall {
    const whole = this.#create(ticket, options ?? {});
    const data = whole.then((created) => created.data);
    const withResponse = () => {
      data.catch(() => {});
      return whole;
    };
    return Object.assign(data, { withResponse });
  }
}

/**
 * Checks an idempotency key. Surrounding white space is removed, because HTTP does not count it as part of a header. Pages
 * without TLS have no `randomUUID`, so the caller must pass a key there.
 */
function requireKey(value: unknown): string {
  const key = String(value ?? "").trim();
  if (key.length <= idempotencyKeyMax && /^[ -~]+$/.test(key)) return key;
  throw new LimitError(`idempotencyKey: 1 to ${idempotencyKeyMax} ASCII characters.`);
}
