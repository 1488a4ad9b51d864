import type { Scope } from "./scopes.ts";

/**
 * The closed list of error codes: code → status and the sentence that tells the caller what to do.
 * Statuses, CLI texts, the documents and the SDK all derive from it. A code is never renamed within v1.
 */
export const errors = {
  invalid_input: { status: 400, message: "The body is not valid. Correct what details names." },
  project_required: { status: 400, message: "The token reaches more than one project. Name one in projectId." },
  invalid_date_range: { status: 400, message: "startsAt must not be after dueAt." },
  not_a_member: { status: 400, message: "assigneeUserId is not a member of the organisation." },
  invalid_agent_repository: {
    status: 400,
    message: "agentRepositoryId is not a repository bound to the project.",
  },
  invalid_idempotency_key: {
    status: 400,
    message: "Idempotency-Key must have 1 to 255 characters. Leave the header out to create without a key.",
  },
  invalid_api_token: { status: 401, message: "Send a valid API token as Authorization: Bearer <token>." },
  invalid_sdk_key: { status: 401, message: "Send a valid SDK key as Authorization: Bearer <key>." },
  not_signed_in: { status: 401, message: "Sign in to use this page." },
  wrong_password: { status: 401, message: "E-mail or password is wrong." },
  wrong_factor: { status: 401, message: "This was not accepted. Try again." },
  insufficient_scope: { status: 403, message: lacking("tickets:write") },
  permission_denied: { status: 403, message: "This needs the organisation admin role. Ask an admin." },
  password_required: { status: 403, message: "Give your password again: it was last given more than an hour ago." },
  factor_required: {
    status: 403,
    message: "Admins need a second factor here. Set up a passkey or an authenticator app first, in your profile.",
  },
  cross_site_request: { status: 403, message: "Changes are accepted from this installation's own pages only." },
  project_not_found: { status: 404, message: "No such project within the reach of this token." },
  board_not_found: { status: 404, message: "No such board in the project." },
  column_not_found: { status: 404, message: "No such column on the board." },
  not_found: { status: 404, message: "There is nothing at this address." },
  method_not_allowed: { status: 405, message: "This address does not take this method. See the Allow header." },
  request_timeout: { status: 408, message: "The body did not arrive in time. Send the request again." },
  lease_lost: { status: 409, message: "The run is no longer yours. Stop working on it." },
  log_gap: { status: 409, message: "The text does not follow what is kept. Send from where the log ends." },
  conflict: { status: 409, message: "This cannot be done in the present state." },
  payload_too_large: { status: 413, message: "The report is too large. reason and limit say what must shrink." },
  unsupported_media_type: {
    status: 415,
    message: "Send multipart/form-data with a boundary, and the request itself uncompressed.",
  },
  rate_limit_exceeded: { status: 429, message: "Too many requests. Try again after Retry-After seconds." },
  internal_error: { status: 500, message: "Something went wrong here. Try again; quote X-Request-Id if it stays." },
  service_unavailable: {
    status: 503,
    message: "Nothing was stored because storage cannot commit at the moment. Try again after Retry-After seconds.",
  },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errors;

/** The message for a token without the scope. */
export function lacking(scope: Scope): string {
  return `The token lacks the scope ${scope}. An admin can grant it.`;
}

/** The faults that a member of a ticket's body can have, in the order in which they are checked. */
export const ticketFaultCodes = [
  "required",
  "wrong_type",
  "too_short",
  "too_long",
  "bad_format",
  "bad_value",
  "bad_characters",
  "unknown_field",
  "content_type",
  "too_large",
  "not_utf8",
  "not_json",
  "not_object",
] as const;

/** What can be wrong with the form of a report. */
export const reportFaultCodes = [
  "multipart_malformed",
  "envelope_missing",
  "envelope_gzip_corrupt",
  "envelope_not_json",
  "envelope_not_object",
] as const;

export type FaultCode = (typeof ticketFaultCodes | typeof reportFaultCodes)[number];

/** One fault of a body. `path` is a JSON pointer (RFC 6901) to the member, `""` for the whole body. */
export interface Fault {
  path: string;
  code: FaultCode;
  message: string;
}

/** The kinds of things that a `payload_too_large` names. */
export const tooLargeReasons = ["request", "envelope", "files"] as const;
export type TooLargeReason = (typeof tooLargeReasons)[number];

/** The body of every error answer; a 401 of the two public APIs has the member `error` alone. */
export interface ErrorBody {
  error: ErrorCode;
  message?: string;
  /** Present with `invalid_input`. */
  details?: Fault[];
  /** Present with `log_gap`: the length of the log in bytes. */
  length?: number;
  /** Present with `conflict` on a page: the text that somebody else has saved meanwhile. */
  theirs?: { title: string; description: string | null; version: number };
  /** Present with `payload_too_large`: what was too large, and its limit in bytes or parts. */
  reason?: TooLargeReason;
  limit?: number;
}
