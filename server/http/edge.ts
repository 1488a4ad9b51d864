import type { Context } from "../access/context.ts";
import type { RequestLog } from "../access/request-log.ts";
import type { Answered, Arrival } from "../live/arrivals.ts";
import type { AnsweredTicket } from "../overview/counters.ts";
import type { RateLimiter } from "./rate-limit.ts";

/** What every route is given: the use cases' context, and what only the edge knows. */
export interface Edge {
  /** The actor is set by whoever authenticated the request. */
  context: Omit<Context, "actor">;
  /** None with `--rate-limits off`. */
  limiter: RateLimiter | undefined;
  requestLog: RequestLog;
  answered: (route: string, status: number, code: string) => void;
  /** One of the two APIs answered, with what its caller was not told. */
  arrived: (api: Arrival["api"], request: Request, answered: Answered) => void;
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
