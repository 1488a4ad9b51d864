import { IntakeError } from "../core/errors.ts";

/** Every reason for which a report is dropped. */
export type DropReason =
  | "queue_full"
  | "too_old"
  | "too_large"
  | "before_send"
  | "before_send_threw"
  | "refused"
  | "unserialisable"
  | "storage"
  | "closed"
  | "sampled"
  | "repeated";

/** How many reports were dropped, by reason. */
export type Drops = Partial<Record<DropReason, number>>;

/** The report was dropped before anything was sent; `reason` says why. */
export class DroppedError extends IntakeError {
  override name = "DroppedError";

  /** The report is counted under this reason in `stats().dropped`. */
  declare readonly reason: DropReason;

  constructor(reason: DropReason, message: string = reason) {
    super(message);
    this.reason = reason;
  }
}
