import type { AnsweredTicket } from "../core/answered-ticket.ts";
import type { Context } from "../core/context.ts";
import type { RequestEntry } from "../core/request-entry.ts";
import type { Session } from "../core/session.ts";
import type { RateLimiter } from "./rate-limit.ts";

/** What an API knows of a request that it has answered. */
export interface Answered {
  status: number;
  code: string;
  made?: string | undefined;
  error?: unknown;
}

/** What every route is given: the use cases' context, and what only the edge knows. */
export interface Edge {
  /** The actor is set by whoever authenticated the request. */
  context: Omit<Context, "actor">;
  /** None with `--rate-limits off`. */
  limiter: RateLimiter | undefined;
  requestLog: {
    /** A request with a known token was answered. `networkOf` is called once a second for a token at the most. */
    add(tokenId: string, entry: RequestEntry, networkOf: () => string | undefined): void;
    /** A request came with a credential that was refused: it may be of a token that was revoked. */
    refused(presented: string, networkOf: () => string | undefined): void;
  };
  /** Who is signed in; throws `not_signed_in`. */
  sessionOf: (ctx: Omit<Context, "actor">, request: Request) => Promise<Session>;
  /** `started` is when the request came, by the monotonic clock; undefined where nobody knows. */
  answered: (route: string, status: number, code: string, started?: number) => void;
  /** One of the two APIs answered, with what its caller was not told. */
  arrived: (api: "tickets" | "reports", request: Request, answered: Answered) => void;
  /** A request was answered with a ticket. */
  ticketed: (ticket: AnsweredTicket) => void;
  /** A request told of the SDK that sent it; `known` with a valid credential. */
  sdkSeen: (header: string, known: boolean) => void;
  /** Moves the moment at which Bun cuts this request's connection; seconds from now. */
  keepOpen: (request: Request, seconds: number) => void;
  /** The address at the other end of this request's connection; undefined without a socket. */
  peerOf: (request: Request) => string | undefined;
  /** The same, or whom a trusted proxy names. */
  sourceOf: (request: Request) => string | undefined;
  /** The network that a request comes from, /24 or /48; undefined without a socket. */
  networkOf: (request: Request) => string | undefined;
  /** Counts a request in, so that a stop waits for it; false once a stop has begun. */
  take: () => boolean;
  release: () => void;
  /** Why work cannot be stored at the moment, or undefined when all is well. */
  trouble: () => string | undefined;
  /** True from the signal to stop on. */
  stopping: () => boolean;
}
