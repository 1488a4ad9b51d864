export type { ApiFailure, Fault } from "./errors.ts";
export {
  AbortError,
  ApiError,
  AuthenticationError,
  ConnectionError,
  IntakeError,
  InvalidRequestError,
  isApiError,
  isIntakeError,
  LimitError,
  NotFoundError,
  PayloadTooLargeError,
  PermissionError,
  RateLimitError,
  RedirectError,
  ServerError,
  TimeoutError,
} from "./errors.ts";
export type { CallOptions, Logger, TransportOptions } from "./send-with-retries.ts";
export type { BlobLike, ByteStream, Fetch, FetchInit, HttpResponse, Signal } from "./web-types.ts";
