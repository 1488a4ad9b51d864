import type { ErrorCode } from "./errors.ts";
import type { Scope } from "./scopes.ts";

/** Errors of every call to the runner protocol. */
const runner = [
  "invalid_input",
  "invalid_api_token",
  "insufficient_scope",
  "request_timeout",
  "rate_limit_exceeded",
  "internal_error",
  "service_unavailable",
] as const satisfies readonly ErrorCode[];

/** Errors of the calls about one run. */
const run = [...runner, "not_found", "lease_lost"] as const satisfies readonly ErrorCode[];

/** Errors of the calls about a person's data. */
const people = [...runner, "conflict"] as const satisfies readonly ErrorCode[];

/** Every public operation, and the codes that it can answer. A code's status is in the list of errors. */
export const operationErrors = {
  createTicket: [
    "invalid_input",
    "project_required",
    "invalid_date_range",
    "not_a_member",
    "invalid_agent_repository",
    "invalid_idempotency_key",
    "invalid_api_token",
    "insufficient_scope",
    "project_not_found",
    "board_not_found",
    "column_not_found",
    "request_timeout",
    "rate_limit_exceeded",
    "internal_error",
    "service_unavailable",
  ],
  submitReport: [
    "invalid_input",
    "invalid_sdk_key",
    "request_timeout",
    "payload_too_large",
    "unsupported_media_type",
    "rate_limit_exceeded",
    "internal_error",
    "service_unavailable",
  ],
  claimRun: runner,
  heartbeatRun: run,
  appendRunLog: [...run, "log_gap"],
  completeRun: run,
  findPerson: people,
  exportPerson: people,
  deletePerson: people,
  getReportEnvelopeSchema: [],
  getLiveness: [],
  getReadiness: [],
} as const satisfies Record<string, readonly ErrorCode[]>;

export type OperationId = keyof typeof operationErrors;

/** The scope that a token needs for an operation. */
export const operationScopes: Partial<Record<OperationId, Scope>> = {
  createTicket: "tickets:write",
  claimRun: "runs:execute",
  heartbeatRun: "runs:execute",
  appendRunLog: "runs:execute",
  completeRun: "runs:execute",
  findPerson: "people:read",
  exportPerson: "people:read",
  deletePerson: "people:delete",
};
