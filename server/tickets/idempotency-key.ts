import { limits } from "../../openapi/schema/limits.ts";
import { Refusal } from "../core/context.ts";

/**
 * The `Idempotency-Key` of a request: 1 to 255 code points, one for each byte of the header, without the blanks around
 * it, which belong to HTTP. Undefined without the header; any other length is refused with `invalid_idempotency_key`.
 */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const key = headers.get("idempotency-key");
  if (key === null) return undefined;
  if (key.length < limits.idempotencyKeyMin || key.length > limits.idempotencyKeyMax) {
    throw new Refusal("invalid_idempotency_key");
  }
  return key;
}
