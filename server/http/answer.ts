import type { ErrorBody, ErrorCode, Fault } from "../../openapi/schema/errors.ts";
import { errors } from "../../openapi/schema/errors.ts";
import { Refusal } from "../core/context.ts";
import { log, logRefusal } from "../core/log.ts";
import { RateLimited } from "../core/rate-limited.ts";
import { CommitInDoubt, StoreUnavailable } from "../core/store.ts";
import type { Edge } from "./edge.ts";
import { traceOf } from "./trace-context.ts";

export type HeaderFields = Record<string, string>;

/** `invalid_input` with every fault that was found. */
export class InvalidInput extends Refusal {
  constructor(faults: readonly Fault[]) {
    super("invalid_input", undefined, { details: [...faults] });
  }
}

/** Makes an answer with a body: JSON text, or its compressed bytes when `headers` have a `Content-Encoding`. */
export function answer(
  edge: Edge,
  status: number,
  body: string | Uint8Array<ArrayBuffer>,
  headers: HeaderFields = {},
): Response {
  headers["content-type"] = "application/json";
  headers["cache-control"] = "no-store";
  headers["x-content-type-options"] = "nosniff";
  headers["x-request-id"] ??= edge.context.newId();
  return new Response(body, { status, headers });
}

/**
 * Makes the answer to an error: a refusal with its own code, storage trouble as 503, everything else as a bare 500.
 * `lasting` are headers that even a 401 carries; `about` is what the log line says beside the code. The log line has the
 * trace that `request` belongs to.
 */
export function answerError(
  edge: Edge,
  route: string,
  error: unknown,
  request: Request | undefined,
  headers: HeaderFields = {},
  { lasting = {}, about = {} }: { lasting?: HeaderFields; about?: Record<string, string> } = {},
): { response: Response; code: ErrorCode } {
  const code = codeOf(error);
  const { status } = errors[code];
  // A 401 must look alike for every cause, also for a token that was revoked after its limit was counted.
  const fields = status === 401 ? { ...lasting } : { ...headers, ...lasting };
  if (error instanceof StoreUnavailable) fields["retry-after"] ??= String(error.retrySeconds);
  if (code === "service_unavailable") fields["retry-after"] ??= "1";
  if (error instanceof RateLimited) fields["retry-after"] ??= String(error.seconds);
  if (code === "invalid_api_token" || code === "invalid_sdk_key") fields["www-authenticate"] = "Bearer";
  if (code === "unsupported_media_type")
    Object.assign(fields, { accept: "multipart/form-data", "accept-encoding": "identity" });
  if (code === "insufficient_scope") fields["www-authenticate"] = 'Bearer error="insufficient_scope"';
  const response = answer(edge, status, errorBody(code, error), fields);

  const requestId = response.headers.get("x-request-id") ?? "";
  const trace = request && traceOf(request);
  if (code === "internal_error") log.error("request failed", { requestId, route, ...trace, error });
  else logRefusal({ requestId, route, status, code, ...trace, ...about });
  return { response, code };
}

function codeOf(error: unknown): ErrorCode {
  if (error instanceof Refusal) return error.code;
  return error instanceof StoreUnavailable ? "service_unavailable" : "internal_error";
}

function errorBody(code: ErrorCode, error: unknown): string {
  // A refused credential is answered with one member, the same for every cause.
  if (code === "invalid_api_token" || code === "invalid_sdk_key") return JSON.stringify({ error: code });
  const refusal = error instanceof Refusal ? error : undefined;
  const message = refusal?.message ?? (error instanceof CommitInDoubt ? inDoubt : errors[code].message);
  return JSON.stringify({ error: code, message, ...refusal?.members } satisfies ErrorBody);
}

const inDoubt =
  "Whether this was stored is not known, because the connection to the database was lost. Try again after Retry-After seconds.";
