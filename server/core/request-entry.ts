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
  /** Why the request was refused, in more detail than its answer. */
  reason?: string | undefined;
  /** On a mismatch: the names of the fields that differ from the first request with the key. */
  differs?: string[];
}
