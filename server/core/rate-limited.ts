import { Refusal } from "./context.ts";

/** Which limit refused. */
type LimitReason =
  | "address"
  | "key"
  | "key_paused"
  | "uploads_key"
  | "uploads_address"
  | "daily_bytes"
  | "reading"
  | "account"
  | "passwords"
  | "sign_ins";

/** The refusal 429, which says after how many seconds a request is admitted again. */
export class RateLimited extends Refusal {
  constructor(
    reason: LimitReason,
    /** Whole seconds until a request would be admitted. */
    readonly seconds: number,
    message?: string,
  ) {
    super("rate_limit_exceeded", message, {}, `rate_limit_${reason}`);
  }
}
