import { limits } from "../../openapi/schema/limits.ts";

/** Time limits of runs and leases, in milliseconds. */
export const runLimits = {
  queueMilliseconds: limits.runQueueHours * 3_600_000,
  runMilliseconds: limits.runHours * 3_600_000,
  leaseMilliseconds: limits.leaseSeconds * 1_000,
  /** A runner counts as online for so long after it was last seen. */
  runnerSeenMilliseconds: 120_000,
} as const;
