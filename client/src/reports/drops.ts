import { IntakeError } from "../core/errors.ts";

/** Why a report was not delivered: the closed list. */
export type DropReason =
  | "queue_full"
  | "too_old"
  | "too_large"
  | "before_send"
  | "before_send_threw"
  | "refused"
  | "unserialisable"
  | "storage"
  | "closed";

/** How many reports were dropped, by reason. */
export type Drops = Partial<Record<DropReason, number>>;

/** The report was given up before anything was sent; `reason` says why. */
export class DroppedError extends IntakeError {
  override name = "DroppedError";

  constructor(
    /** Counted under this name in `stats().dropped`. */
    readonly reason: DropReason,
    message: string,
  ) {
    super(message);
  }
}
