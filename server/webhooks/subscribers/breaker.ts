/** The failures of a subscriber, and its circuit breaker. Times are epoch milliseconds. */
export interface Health {
  /** In a row, over all its deliveries. */
  failures: number;
  failingSince: number | null;
  /** How often in a row the breaker has opened. */
  openings: number;
  openUntil: number | null;
}

export const healthy: Health = { failures: 0, failingSince: null, openings: 0, openUntil: null };

/** So many in a row, and it backs off. */
export const failuresToOpen = 5;
const openMs = 30_000;
/** The longest that nothing is sent. */
export const openMaxMs = 600_000;
export const hopelessMs = 120 * 3_600_000;

/** A failure. Those that began while the breaker was open already say nothing new. */
export function afterFailure(health: Health, { startedAt, now }: { startedAt: number; now: number }): Health {
  const failures = health.failures + 1;
  const failingSince = health.failingSince ?? startedAt;
  const open = health.openUntil !== null && health.openUntil > startedAt;
  if (failures < failuresToOpen || open) return { ...health, failures, failingSince };
  const openUntil = now + Math.min(openMs * 2 ** Math.min(health.openings, 10), openMaxMs);
  return { failures, failingSince, openings: health.openings + 1, openUntil };
}

/** How many may be sent at once: none while it is open, then one, to see. */
export function roomOf(
  health: Pick<Health, "failures" | "openUntil">,
  { now, cap }: { now: number; cap: number },
): number {
  if (health.openUntil !== null && health.openUntil > now) return 0;
  return health.failures >= failuresToOpen ? 1 : cap;
}

/** Nothing has succeeded for 120 hours. */
export function isHopeless({ failingSince }: Health, now: number): boolean {
  return failingSince !== null && now - failingSince >= hopelessMs;
}
