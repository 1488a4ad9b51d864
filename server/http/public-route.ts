import type { ErrorCode } from "../../openapi/schema/errors.ts";
import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";
import type { Limiter, Verdict } from "../core/limiter.ts";
import { RateLimited } from "../core/rate-limited.ts";
import { type Store, StoreUnavailable } from "../core/store.ts";
import { answerError, type HeaderFields } from "./answer.ts";
import { bearerOf } from "./bearer.ts";
import type { Edge } from "./edge.ts";
import { aboutSdk, countSdk } from "./sdk-header.ts";
import { idleSeconds } from "./serve.ts";

/** Describes one public route; {@link answerPublic} handles what all public routes have in common. */
export interface PublicRoute<Call extends PublicCall<unknown>> {
  /** The operation's name in the OpenAPI document, in metrics and in the log. */
  operation: string;
  /**
   * The API under which admins see the request among the newest ones; the SDKs that call it are counted. Undefined where
   * neither is done.
   */
  recent?: "tickets" | "reports";
  /** The order of answers: the first row that returns an answer or throws a refusal decides. The last one returns. */
  order: readonly Row<Call>[];
  /** Headers of every answer, also of a 401. */
  always?: Readonly<HeaderFields>;
  /** Properties of the log line of a refusal beside its code. */
  about?(call: Call, error: unknown): Record<string, string>;
  /** Records how the request was answered. */
  log?(call: Call, status: number, refused: Refused | undefined): void;
  /** Releases what the rows have taken for this request. */
  release?(call: Call): Promise<void>;
}

/** Seconds that the connection of an authenticated request is kept open at least, for storage that answers late. */
const workingSeconds = 60;

/** Throws a refusal, returns the answer, or returns undefined: then the next row decides. */
export type Row<Call> = (call: Call) => Response | undefined | Promise<Response | undefined>;

/** The error that a row threw, and the code of the answer to it. */
export interface Refused {
  code: ErrorCode;
  error: unknown;
}

/** One request to a public route, with what the rows have learned about it so far. */
export class PublicCall<Caller> {
  readonly started = performance.now();
  readonly edge: Edge;
  readonly request: Request;
  /** Headers of the answer. A 401 is sent without them. */
  readonly headers: HeaderFields = {};
  /** False when the request came after the server had begun to stop. */
  taken = false;
  /** The verdict of the caller's rate limit, which the answer's headers show. */
  verdict: Verdict | undefined;
  /** The outcome for metrics when the request is not refused. */
  outcome: "ok" | "replayed" = "ok";
  /** Id of the ticket or event in the answer. */
  made: string | undefined;
  authenticated = false;
  /** Whose credential the request carries: set by the row {@link credential}. */
  caller!: Caller;

  constructor(edge: Edge, request: Request) {
    this.edge = edge;
    this.request = request;
  }

  /** Sets the header fields `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers). */
  tellLimit(policy: string, { limit, remaining, seconds }: Pick<Verdict, "limit" | "remaining" | "seconds">) {
    this.headers["ratelimit-policy"] = `"${policy}";q=${limit};w=${limits.windowSeconds}`;
    this.headers["ratelimit"] = `"${policy}";r=${remaining};t=${seconds}`;
  }

  /** Sets `Retry-After`, and the `t` of `RateLimit` to the same number of seconds. */
  tellWait(seconds: number) {
    this.headers["retry-after"] = String(seconds);
    const limit = this.headers["ratelimit"];
    if (limit !== undefined) this.headers["ratelimit"] = limit.replace(/t=\d+$/, `t=${seconds}`);
  }
}

/**
 * Answers one request: counts it in, runs the rows of the order until one decides, counts and logs the answer, counts
 * it out.
 */
export async function answerPublic<Call extends PublicCall<unknown>>(
  route: PublicRoute<Call>,
  call: Call,
): Promise<Response> {
  const { edge, request } = call;
  const { operation, recent } = route;
  call.taken = edge.take();
  try {
    if (route.always) Object.assign(call.headers, route.always);
    let response: Response | undefined;
    let refused: Refused | undefined;
    try {
      for (const row of route.order) {
        const decided = row(call);
        // Most rows decide without waiting: `await` is used only where a row returns a promise, because it costs time.
        response = decided instanceof Promise ? await decided : decided;
        if (response) break;
      }
      if (!response) throw new Error(`no row of ${operation} has answered`);
    } catch (error) {
      if (error instanceof RateLimited) call.tellWait(error.seconds);
      const about = { ...route.about?.(call, error), ...(recent && aboutSdk(request)) };
      const failed = answerError(edge, operation, error, request, call.headers, { lasting: route.always ?? {}, about });
      response = failed.response;
      refused = { code: failed.code, error };
    }
    // A body that came too slowly has set an earlier end.
    if (call.authenticated && refused?.code !== "request_timeout") edge.keepOpen(request, idleSeconds);
    const { status } = response;
    const code = refused?.code ?? call.outcome;
    route.log?.(call, status, refused);
    edge.answered(operation, status, code, call.started);
    if (recent) {
      edge.addRecent(recent, request, { status, code, made: call.made, error: refused?.error });
      countSdk(edge, request, call.authenticated);
    }
    return response;
  } finally {
    if (route.release) await route.release(call);
    if (call.taken) edge.release();
  }
}

/**
 * A row that answers 401 with `code` unless `find` knows the credential in `Authorization`. The body is not read
 * before.
 */
export function credential<Caller>(
  find: (store: Store, presented: string | undefined) => Caller | Promise<Caller | undefined>,
  code: "invalid_api_token" | "invalid_sdk_key",
): Row<PublicCall<Caller>> {
  const admit = (call: PublicCall<Caller>, caller: Caller | undefined): undefined => {
    if (caller === undefined) throw new Refusal(code);
    call.caller = caller;
    call.authenticated = true;
    call.edge.keepOpen(call.request, workingSeconds);
  };
  return (call) => {
    const caller = find(call.edge.context.store, bearerOf(call.request.headers));
    return caller instanceof Promise ? caller.then((found) => admit(call, found)) : admit(call, caller);
  };
}

interface RequestLimit<Call> {
  /** The limit's name in `RateLimit-Policy`. */
  policy: string;
  /** Requests in any 60 s. */
  limitOf(call: Call): number;
  /** Undefined with `--rate-limits off`. */
  limiterOf(call: Call): Limiter | undefined;
  /** The refusal of a request beyond the limit. */
  refusal?(seconds: number): Refusal;
}

/**
 * A row that answers 429 beyond the limit of the caller's credential. Every later answer has the headers of the limit.
 */
export function requestLimit<Call extends PublicCall<{ id: string }>>({
  policy,
  limitOf,
  limiterOf,
  refusal = () => new Refusal("rate_limit_exceeded"),
}: RequestLimit<Call>): Row<Call> {
  const tell = (call: Call, verdict: Verdict): undefined => {
    call.verdict = verdict;
    call.tellLimit(policy, verdict);
    if (verdict.admitted) return undefined;
    call.tellWait(verdict.seconds);
    throw refusal(verdict.seconds);
  };
  return (call) => {
    const verdict = limiterOf(call)?.take(call.caller.id, limitOf(call));
    if (verdict instanceof Promise) return verdict.then((given) => tell(call, given));
    return verdict && tell(call, verdict);
  };
}

/** A row that answers 503 once the server has begun to stop. */
export function serverRuns({ taken }: PublicCall<unknown>): undefined {
  if (!taken) throw new StoreUnavailable("shutting down");
}
