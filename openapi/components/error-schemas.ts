import { reference, type Schema } from "../model/openapi.ts";
import { type ErrorCode, errors, lacking, tooLargeReasons } from "../schema/errors.ts";
import { type OperationId, operationErrors, operationScopes } from "../schema/operations.ts";

/** The codes that an operation answers with, by status, in the order of the list. */
export function codesOf(operation: OperationId): Map<number, ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of operationErrors[operation]) {
    const { status } = errors[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

/**
 * The answer is shared where every operation with the status answers with the same body; otherwise each operation has
 * its own.
 */
export function errorSchemaName(operation: OperationId, status: number): string {
  const phrase = phrases[status];
  if (phrase === undefined) throw new Error(`status ${status} has no name`);
  return isShared(status) ? phrase : `${operation[0]?.toUpperCase()}${operation.slice(1)}${phrase}`;
}

/** The message of a code in an operation's answers. */
export function sentenceOf(operation: OperationId, code: ErrorCode): string {
  const scope = operationScopes[operation];
  return code === "insufficient_scope" && scope ? lacking(scope) : errors[code].message;
}

/** One schema per operation and status, with exactly its codes. */
export function errorSchemas(): Record<string, Schema> {
  const found: Record<string, Schema> = {};
  for (const operation of operations) {
    for (const [status, codes] of codesOf(operation)) {
      found[errorSchemaName(operation, status)] = errorSchema(operation, codes);
    }
  }
  return found;
}

const operations = Object.keys(operationErrors) as OperationId[];

const phrases: Record<number, string> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  408: "RequestTimeout",
  409: "Conflict",
  413: "ContentTooLarge",
  415: "UnsupportedMediaType",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
};

function isShared(status: number): boolean {
  const lists = operations.flatMap((operation) => codesOf(operation).get(status)?.join() ?? []);
  // Answers with equal codes differ where their details or the scopes in their sentences differ.
  return lists.length > 1 && new Set(lists).size === 1 && status !== 400 && status !== 403;
}

function errorSchema(operation: OperationId, codes: readonly ErrorCode[]): Schema {
  const error: Schema = { type: "string", enum: [...codes], description: "What is wrong: programs decide by it." };
  // The body of these 401 answers has one member: it is the same for every cause.
  if (codes.includes("invalid_api_token") || codes.includes("invalid_sdk_key")) {
    return { ...open("The credential is missing, malformed, unknown or revoked."), ...withMembers({ error }) };
  }
  const message: Schema = { type: "string", description: "The same in words, for people. It may change." };
  const described = open(codes.map((code) => sentenceOf(operation, code)).join(" "));
  if (codes.includes("invalid_input")) {
    const details: Schema = {
      type: "array",
      items: reference(faultNames[operation] ?? "RunnerFault"),
      description: "Every fault that was found. With invalid_input only.",
    };
    const always = codes.length === 1 ? ["details"] : [];
    return { ...described, ...withMembers({ error, message }, always, { details }) };
  }
  if (codes.includes("log_gap")) {
    const length: Schema = { type: "integer", description: "With log_gap: where the log ends, in bytes." };
    return { ...described, ...withMembers({ error, message }, [], { length }) };
  }
  if (codes.includes("payload_too_large")) {
    const reason: Schema = { type: "string", enum: [...tooLargeReasons], description: "What was too large." };
    const limit: Schema = { type: "integer", description: "How large it may be: bytes, or parts for files." };
    return { ...described, ...withMembers({ error, message, reason, limit }) };
  }
  return { ...described, ...withMembers({ error, message }) };
}

const faultNames: Partial<Record<OperationId, string>> = {
  createTicket: "TicketFault",
  submitReport: "ReportFault",
  findPerson: "PersonFault",
  exportPerson: "PersonFault",
  deletePerson: "PersonFault",
};

function open(description: string): Schema {
  return { type: "object", description, additionalProperties: true };
}

function withMembers(required: Record<string, Schema>, more: string[] = [], others: Record<string, Schema> = {}) {
  return { required: [...Object.keys(required), ...more], properties: { ...required, ...others } };
}
