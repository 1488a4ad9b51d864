/** On every error of every copy of this package, so that guards work across ESM, CommonJS and versions. */
const brand = Symbol.for("@intake/client.error");

/**
 * The one base of everything that is thrown. Thrown itself for wrong use: a credential of the wrong kind, an address
 * that is none, an input that cannot be written as JSON.
 *
 * No credential stands in any text of an error, not even one that the server echoed.
 */
export class IntakeError extends Error {
  override name = "IntakeError";

  get [brand](): boolean {
    return true;
  }

  /** Every member with `name` and `message`, for logs. */
  toJSON(): Record<string, unknown> {
    return { message: this.message, ...(this as object) };
  }
}

/** What an {@link ApiError} is made of. */
export interface ApiFailure<Code extends string = string> {
  /** HTTP status; 0 for a redirect in a browser, which hides it. */
  status: number;
  /** From the closed list of the API. Unknown ones are kept; `http_<status>` where the answer names none. */
  code: Code;
  /** For people; it may change. */
  message: string;
  /** `X-Request-Id`: quote it when you ask about an answer. */
  requestId?: string | undefined;
  /** How long the server asks to wait, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** With `invalid_input`: every fault, `path` being a JSON pointer. */
  details?: readonly Fault[] | undefined;
  /** With `payload_too_large`: what was too large: `request`, `envelope` or `files`. */
  reason?: string | undefined;
  /** With `payload_too_large`: how much is allowed, in bytes or files. */
  limit?: number | undefined;
  /** The body as text, at most 10,000 characters. */
  bodyText: string;
}

/** One fault of a body. */
export interface Fault {
  /** JSON pointer to the member; empty for the body itself. */
  path: string;
  /** For programs: `required`, `too_long`, `unknown_field` … */
  code: string;
  /** For people; it may change. */
  message: string;
}

/** The server answered with an error. The class tells the family of its status, `code` what exactly. */
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
    // Without the members that are undefined.
    Object.assign(this, JSON.parse(JSON.stringify(failure)));
  }
}

/** A class that differs by its name alone. */
function named<Class extends new (given: never) => IntakeError>(Base: Class, name: string): Class {
  const Parent: new (given: never) => Error = Base;
  return class extends Parent {
    override name = `${name}Error`;
  } as unknown as Class;
}

/** No connection, or one that broke, or an answer of 2xx that cannot be read. Retried. */
export const ConnectionError = /* @__PURE__ */ named(IntakeError, "Connection");
export type ConnectionError = IntakeError;

/** No answer within `timeoutMs`, or within `deadlineMs` over all tries. Retried. */
export const TimeoutError = /* @__PURE__ */ named(IntakeError, "Timeout");
export type TimeoutError = IntakeError;

/** The caller's signal was aborted. What was sent before may have been stored. */
export const AbortError = /* @__PURE__ */ named(IntakeError, "Abort");
export type AbortError = IntakeError;

/** A limit was exceeded; found before anything was sent. */
export const LimitError = /* @__PURE__ */ named(IntakeError, "Limit");
export type LimitError = IntakeError;

/** 3xx. Nothing is ever sent to the target: the credential would go along. */
export const RedirectError = /* @__PURE__ */ named(ApiError, "Redirect");
export type RedirectError = ApiError;

/** 400 and the 4xx without a class of their own. */
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

/** True for every error of this package, whichever copy of it threw. */
export function isIntakeError(error: unknown): error is IntakeError {
  return (error as { [brand]?: boolean } | undefined)?.[brand] === true;
}

/**
 * True for every answer with an error, whichever copy of the package threw.
 *
 * ```ts
 * if (isApiError<TicketError>(error) && error.code === "project_required") console.error("Name a project.");
 * ```
 */
export function isApiError<Known extends ApiError = ApiError>(error: unknown): error is Known {
  return isIntakeError(error) && "status" in error;
}

/** The error for an answer; `body` is what its JSON held, without credentials. */
export function errorFor(
  status: number,
  { error, message, details, reason, limit }: Partial<ErrorBody>,
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
  const code = typeof error === "string" ? error : `http_${status}`;
  const told = typeof message === "string" ? message : status < 400 ? "Redirects are not followed." : code;
  const faults = Array.isArray(details) ? details.filter((one) => typeof one?.message === "string") : undefined;
  return new Class({ status, code, message: told, details: faults, reason, limit, ...about });
}

interface ErrorBody extends Pick<ApiFailure, "details" | "reason" | "limit"> {
  error: unknown;
  message: unknown;
}
