import { limits } from "../../openapi/schema/limits.ts";

/** Intervals of runs and their leases, in milliseconds. */
export const runLimits = {
  queueMilliseconds: limits.runQueueHours * 3_600_000,
  runMilliseconds: limits.runHours * 3_600_000,
  leaseMilliseconds: limits.leaseSeconds * 1_000,
  /** A runner that was seen within this time is there. */
  runnerSeenMilliseconds: 120_000,
} as const;
