import { requireBaseUrl } from "./core/base-url.ts";
import { IntakeError, LimitError } from "./core/errors.ts";
import { toJson } from "./core/json.ts";
import { type Answer, type CallOptions, send, type TransportOptions } from "./core/send.ts";
import { requireToken } from "./core/token.ts";
import type { HttpResponse } from "./core/web.ts";
import { createTicket, idempotencyKeyMax } from "./generated/contract.ts";
import type { CreateTicket, Ticket } from "./types.ts";

export * from "./core/exports.ts";
export type { CreateTicket, Ticket, TicketError } from "./types.ts";

/** Where tickets are created, by whom, and how. */
export interface TicketsOptions extends TransportOptions {
  /** Where Intake answers, for example `https://intake.example.org`; a path in front of `/api` may stand in it. */
  baseUrl: string;
  /** An API token (`itk_…`), or a function that gives it, asked at every try. */
  token: string | (() => string | Promise<string>);
  /** An API token in a page is everybody's. True for pages of your own origin (there is no CORS) behind a sign-in, or tests. */
  allowBrowser?: boolean | undefined;
}

/** How one ticket is created. */
export interface CreateOptions extends CallOptions {
  /** 1 to 255 characters of ASCII, since platforms write others in different bytes. The same key of the same token never makes a second ticket. A new UUID unless told. */
  idempotencyKey?: string | undefined;
}

/** A ticket, and what is worth knowing about the answer. */
export interface CreatedTicket {
  /** The ticket. */
  data: Ticket;
  /** True when this key had made the ticket before; `data` is the first answer then, unchanged. */
  replayed: boolean;
  /** True when it was made before from a body that differed from this one. */
  mismatch: boolean;
  /** The key that was sent: the caller's, or the new UUID. */
  idempotencyKey: string;
  /** `X-Request-Id` of the answer. */
  requestId: string | undefined;
  /** The answer itself; its body has been read. */
  response: HttpResponse;
}

/** A promise of the ticket. */
export interface TicketCall extends Promise<Ticket> {
  /** The ticket together with its key, whether it was replayed, and the answer. */
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
  readonly #options: TransportOptions;
  readonly #baseUrl: string;
  readonly #token: string | (() => Promise<string>);

  /** Throws {@link IntakeError} for an address that is none, an SDK key instead of a token, and in a browser's page. */
  constructor(given: TicketsOptions) {
    const { baseUrl, token, allowBrowser, ...options } = given ?? {};
    if ("document" in globalThis && !allowBrowser) {
      throw new IntakeError("No API token in pages: see allowBrowser.");
    }
    this.#options = options;
    this.#baseUrl = requireBaseUrl("baseUrl", baseUrl);
    this.#token = requireToken(token);
  }

  /**
   * Creates a ticket, once, however often it is tried: every try carries the same `Idempotency-Key` and the same bytes.
   * `ticket` is copied at the call. Text is counted in code points: title 1 to 200, description up to 20,000.
   *
   * Rejects with an {@link IntakeError}: {@link LimitError} for a key that is none, an `ApiError` with `code` for what the
   * server refused, `ConnectionError`, `TimeoutError`, `AbortError`.
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

  async #create(ticket: CreateTicket, options: CreateOptions): Promise<CreatedTicket> {
    const idempotencyKey = requireKey(options.idempotencyKey ?? globalThis.crypto?.randomUUID?.());
    const call = {
      ...createTicket,
      baseUrl: this.#baseUrl,
      credential: this.#token,
      headers: { "content-type": createTicket.mediaType, "idempotency-key": idempotencyKey },
      body: toJson(ticket),
    };
    const answer: Answer<Ticket> = await send(call, this.#options, options);
    const { headers } = answer.response;
    return {
      ...answer,
      replayed: headers.has("idempotent-replayed"),
      mismatch: headers.has("idempotency-mismatch"),
      idempotencyKey,
    };
  }
}

/** Blanks around it are the header's, not the key's. Pages without TLS cannot make one. */
function requireKey(value: unknown): string {
  const key = String(value ?? "").trim();
  if (key && key.length <= idempotencyKeyMax && /^[ -~]+$/.test(key)) return key;
  throw new LimitError(`idempotencyKey must have 1 to ${idempotencyKeyMax} ASCII characters.`);
}
