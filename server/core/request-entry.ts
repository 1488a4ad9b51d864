import type { ErrorCode } from "../../openapi/schema/errors.ts";

/** One request with a token, with the time in epoch milliseconds; kept as JSON. */
export interface RequestEntry {
  at: number;
  status: number;
  code?: ErrorCode | undefined;
  ticketId?: string | undefined;
  idempotencyKey?: string | undefined;
  replayed: boolean;
  mismatch: boolean;
  unlogged?: number;
  /** Milliseconds until the answer. */
  ms?: number;
  /** Why the request was refused, which the answer did not tell the caller. */
  reason?: string | undefined;
  /** With a mismatch: the names of the fields that are not as they were the first time. */
  differs?: string[];
}
