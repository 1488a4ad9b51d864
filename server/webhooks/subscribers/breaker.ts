/** The failures of a subscriber, and its circuit breaker. Times are epoch milliseconds. */
export interface Health {
  /** Attempts that failed in a row, over all deliveries of the subscriber. */
  failures: number;
  failingSince: number | null;
  /** How often in a row the breaker has opened. */
  openings: number;
  openUntil: number | null;
}

export const healthy: Health = { failures: 0, failingSince: null, openings: 0, openUntil: null };

/** After this many failures in a row the breaker opens. */
export const failuresToOpen = 5;
const openMs = 30_000;
/** The longest time for which nothing is sent. */
export const openMaxMs = 600_000;
export const hopelessMs = 120 * 3_600_000;

/** Counts a failure. An attempt that began before the breaker opened does not open it further. */
export function afterFailure(health: Health, { startedAt, now }: { startedAt: number; now: number }): Health {
  const failures = health.failures + 1;
  const failingSince = health.failingSince ?? startedAt;
  const open = health.openUntil !== null && health.openUntil > startedAt;
  if (failures < failuresToOpen || open) return { ...health, failures, failingSince };
  const openUntil = now + Math.min(openMs * 2 ** Math.min(health.openings, 10), openMaxMs);
  return { failures, failingSince, openings: health.openings + 1, openUntil };
}

/** How many deliveries may be in flight: none while the breaker is open, then one as a probe. */
export function roomOf(
  health: Pick<Health, "failures" | "openUntil">,
  { now, cap }: { now: number; cap: number },
): number {
  if (health.openUntil !== null && health.openUntil > now) return 0;
  return health.failures >= failuresToOpen ? 1 : cap;
}

/** Whether no attempt has succeeded for 120 hours. */
export function isHopeless({ failingSince }: Health, now: number): boolean {
  return failingSince !== null && now - failingSince >= hopelessMs;
}
