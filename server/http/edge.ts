import type { AnsweredTicket } from "../core/answered-ticket.ts";
import type { Context } from "../core/context.ts";
import type { RequestEntry } from "../core/request-entry.ts";
import type { Session } from "../core/session.ts";
import type { RateLimiter } from "./rate-limit.ts";

/** How a request to one of the two public APIs was answered. */
export interface Answered {
  status: number;
  code: string;
  /** Id of the ticket or event. */
  made?: string | undefined;
  error?: unknown;
}

/** What every route is given: the context of use cases, and what the server knows about requests and connections. */
export interface Edge {
  /** Routes add the actor once they have authenticated the request. */
  context: Omit<Context, "actor">;
  /** Undefined with `--rate-limits off`. */
  limiter: RateLimiter | undefined;
  requestLog: {
    /** Notes the answer to a request with a known token. `networkOf` is called at most once a second per token. */
    add(tokenId: string, entry: RequestEntry, networkOf: () => string | undefined): void;
    /** Notes a request whose credential was refused: it may be that of a revoked token. */
    refused(presented: string, networkOf: () => string | undefined): void;
  };
  /** Who is signed in; throws `not_signed_in`. */
  sessionOf: (ctx: Omit<Context, "actor">, request: Request) => Promise<Session>;
  /**
   * Counts an answer in the metrics. `started` is when the request came, by the monotonic clock, where that is known.
   */
  answered: (route: string, status: number, code: string, started?: number) => void;
  /** Adds an answer to the newest requests that admins see, with the cause of a refusal that its caller is not told. */
  addRecent: (api: "tickets" | "reports", request: Request, answered: Answered) => void;
  /** Counts a request that was answered with a ticket. */
  ticketed: (ticket: AnsweredTicket) => void;
  /** Counts a request by the `X-Intake-SDK` header that it carried; `known` when its credential was valid. */
  sdkSeen: (header: string, authenticated: boolean) => void;
  /** Moves the moment at which Bun cuts this request's connection; seconds from now. */
  keepOpen: (request: Request, seconds: number) => void;
  /** The address at the other end of this request's connection; undefined without a socket. */
  peerOf: (request: Request) => string | undefined;
  /** The address of the client: that of the peer, or the one that a trusted proxy names. */
  sourceOf: (request: Request) => string | undefined;
  /** The network that a request comes from, /24 or /48; undefined without a socket. */
  networkOf: (request: Request) => string | undefined;
  /** Counts a request in, so that a stop waits for its answer. False, and not counted, once a stop has begun. */
  take: () => boolean;
  /** Counts out a request that was taken. */
  release: () => void;
  /** Why work cannot be stored at the moment, or undefined when all is well. */
  trouble: () => string | undefined;
  /** True from the signal to stop on. */
  stopping: () => boolean;
}
