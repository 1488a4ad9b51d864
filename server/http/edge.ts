import type { AnsweredTicket } from "../core/answered-ticket.ts";
import type { Context } from "../core/context.ts";
import type { Limiter, LimitKind } from "../core/limiter.ts";
import type { RequestEntry } from "../core/request-entry.ts";
import type { ProxyPerson, Session } from "../core/session.ts";

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
  /** The context without an actor: routes add the actor once they have authenticated the request. */
  context: Omit<Context, "actor">;
  /** Undefined with `--rate-limits off`. */
  limiters: Readonly<Record<LimitKind, Limiter>> | undefined;
  requestLog: {
    /** Records the answer to a request with a valid token. `networkOf` is called at most once a second per token. */
    add(tokenId: string, entry: RequestEntry, networkOf: () => string | undefined): void;
    /** Records a request whose credential was refused: it may be a revoked token. */
    refused(presented: string, networkOf: () => string | undefined): void;
  };
  /** The session of the request; throws `not_signed_in` without one. */
  sessionOf: (ctx: Omit<Context, "actor">, request: Request) => Promise<Session>;
  /** Whom a trusted access proxy names as the sender of the request; undefined without `--auth-header`. */
  proxyPersonOf: (request: Request) => ProxyPerson | undefined;
  /**
   * Counts an answer in the metrics. `started` is when the request came, by the monotonic clock, where that is known.
   */
  answered: (route: string, status: number, code: string, started?: number) => void;
  /** Adds an answer to the newest requests that admins see, with the cause of a refusal that its caller is not told. */
  addRecent: (api: "tickets" | "reports", request: Request, answered: Answered) => void;
  /** Counts a request that was answered with a ticket. */
  ticketed: (ticket: AnsweredTicket) => void;
  /** Counts a request by its `X-Intake-SDK` header; `authenticated` when its credential was valid. */
  sdkSeen: (header: string, authenticated: boolean) => void;
  /** Moves the moment at which Bun cuts this request's connection; seconds from now. */
  keepOpen: (request: Request, seconds: number) => void;
  /** The address at the other end of this request's connection; undefined without a socket. */
  peerOf: (request: Request) => string | undefined;
  /** The address of the client: that of the peer, or the one that a trusted proxy names. */
  sourceOf: (request: Request) => string | undefined;
  /** The network that a request comes from, /24 or /48; undefined without a socket. */
  networkOf: (request: Request) => string | undefined;
  /**
   * Counts a request in, so that a stop waits for its answer. Returns false, without counting, once requests are refused.
   */
  take: () => boolean;
  /** Counts out a request that was counted in. */
  release: () => void;
  /** Why storage cannot commit at the moment; undefined when it can. */
  trouble: () => string | undefined;
  /** What does not work at the moment although storage commits, such as `attachments`. */
  degraded: () => readonly string[];
  /** True once the server has been told to stop. */
  stopping: () => boolean;
}
