/**
 * Marks every error of this package. The symbol is global, so `isIntakeError` also knows errors that another copy of
 * the package threw (ESM beside CommonJS, or two versions).
 */
const brand = Symbol.for("@intake/client.error");

/**
 * Base class of every error that this package throws. Thrown itself when the package is used wrongly: a credential of
 * the wrong kind, an address that is no URL, an input that cannot be written as JSON.
 *
 * Credentials are removed from every text of an error, also from texts that the server sent back.
 */
export class IntakeError extends Error {
  override name = "IntakeError";

  get [brand](): boolean {
    return true;
  }

  /** Every property of the error, with `name` and `message`, for logs. */
  toJSON(): Record<string, unknown> {
    return { message: this.message, ...(this as object) };
  }
}

/** The properties of an {@link ApiError}. */
export interface ApiFailure<Code extends string = string> {
  /** HTTP status; 0 for a redirect in a browser, which does not show the status of redirects. */
  status: number;
  /** Error code from the closed list of the API. A code that this version does not know is kept; `http_<status>` when the answer has no code. */
  code: Code;
  /** Text for people; it may change between versions. */
  message: string;
  /** `X-Request-Id` of the answer: quote it when you report a problem. */
  requestId?: string | undefined;
  /** `Retry-After` of the answer, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** With `invalid_input`: every fault of the body. */
  details?: readonly Fault[] | undefined;
  /** With `payload_too_large`: what was too large: `request`, `envelope` or `files`. */
  reason?: string | undefined;
  /** With `payload_too_large`: the limit that was exceeded, in bytes or in files. */
  limit?: number | undefined;
  /** The first 10,000 characters of the answer's body. */
  bodyText: string;
}

/** One fault in the body of a request. */
export interface Fault {
  /** JSON pointer to the faulty member; empty for the body itself. */
  path: string;
  /** Code for programs: `required`, `too_long`, `unknown_field` … */
  code: string;
  /** Text for people; it may change between versions. */
  message: string;
}

/** The server answered with an error. Each subclass stands for a status or a range of them; `code` names the exact error. */
export class ApiError<Code extends string = string> extends IntakeError implements ApiFailure<Code> {
  override name = "ApiError";
  declare readonly status: number;
  declare readonly code: Code;
  declare readonly requestId?: string;
  declare readonly retryAfterMs?: number;
  declare readonly details?: readonly Fault[];
  declare readonly reason?: string;
  declare readonly limit?: number;
  declare readonly bodyText: string;

  constructor(failure: ApiFailure<Code>) {
    super(failure.message);
    // The way through JSON leaves out properties that are undefined.
    Object.assign(this, JSON.parse(JSON.stringify(failure)));
  }
}

/** A subclass of `Base` that adds nothing but its `name`: much smaller in a bundle than a class declaration each. */
function named<Class extends new (given: never) => IntakeError>(Base: Class, name: string): Class {
  return class extends (Base as new (given: never) => Error) {
    override name = `${name}Error`;
  } as unknown as Class;
}

/** The connection failed or broke, or an answer with status 2xx could not be read. Retried. */
export const ConnectionError = /* @__PURE__ */ named(IntakeError, "Connection");
export type ConnectionError = IntakeError;

/** No answer within `timeoutMs`, or within `deadlineMs` over all tries. Retried. */
export const TimeoutError = /* @__PURE__ */ named(IntakeError, "Timeout");
export type TimeoutError = IntakeError;

/** The caller's signal was aborted. The server may have stored what was sent before. */
export const AbortError = /* @__PURE__ */ named(IntakeError, "Abort");
export type AbortError = IntakeError;

/** The input exceeds a limit of the API. Thrown before anything is sent. */
export const LimitError = /* @__PURE__ */ named(IntakeError, "Limit");
export type LimitError = IntakeError;

/** 3xx. Redirects are never followed: the credential would be sent to their target. */
export const RedirectError = /* @__PURE__ */ named(ApiError, "Redirect");
export type RedirectError = ApiError;

/** 400, and every other 4xx for which this package has no class. */
export const InvalidRequestError = /* @__PURE__ */ named(ApiError, "InvalidRequest");
export type InvalidRequestError = ApiError;

/** 401. */
export const AuthenticationError = /* @__PURE__ */ named(ApiError, "Authentication");
export type AuthenticationError = ApiError;

/** 403. */
export const PermissionError = /* @__PURE__ */ named(ApiError, "Permission");
export type PermissionError = ApiError;

/** 404. */
export const NotFoundError = /* @__PURE__ */ named(ApiError, "NotFound");
export type NotFoundError = ApiError;

/** 413. */
export const PayloadTooLargeError = /* @__PURE__ */ named(ApiError, "PayloadTooLarge");
export type PayloadTooLargeError = ApiError;

/** 429. */
export const RateLimitError = /* @__PURE__ */ named(ApiError, "RateLimit");
export type RateLimitError = ApiError;

/** 5xx. */
export const ServerError = /* @__PURE__ */ named(ApiError, "Server");
export type ServerError = ApiError;

/** True for every {@link IntakeError}, whichever copy of this package threw it. */
export function isIntakeError(error: unknown): error is IntakeError {
  return (error as { [brand]?: boolean } | undefined)?.[brand] === true;
}

/**
 * True for every {@link ApiError}, whichever copy of this package threw it.
 *
 * ```ts
 * if (isApiError<TicketError>(error) && error.code === "project_required") console.error("Name a project.");
 * ```
 */
export function isApiError<Known extends ApiError = ApiError>(error: unknown): error is Known {
  return isIntakeError(error) && "status" in error;
}

/**
 * Makes the error for an answer whose status is not 2xx. `body` is the answer's JSON, from which
 * credentials have been removed; a proxy may have sent anything there.
 */
export function errorFor(
  status: number,
  body: Partial<ErrorBody>,
  about: Pick<ApiFailure, "requestId" | "retryAfterMs" | "bodyText">,
): ApiError {
  const Class =
    {
      401: AuthenticationError,
      403: PermissionError,
      404: NotFoundError,
      413: PayloadTooLargeError,
      429: RateLimitError,
    }[status] ?? (status < 400 ? RedirectError : status < 500 ? InvalidRequestError : ServerError);
  const code = typeof body.error === "string" ? body.error : `http_${status}`;
  return new Class({
    status,
    code,
    message: typeof body.message === "string" ? body.message : status < 400 ? "Redirected." : code,
    details: Array.isArray(body.details) ? body.details.filter((one) => typeof one?.message === "string") : undefined,
    reason: body.reason,
    limit: body.limit,
    ...about,
  });
}

interface ErrorBody extends Pick<ApiFailure, "details" | "reason" | "limit"> {
  error: unknown;
  message: unknown;
}
