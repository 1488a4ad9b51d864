import { limits } from "../../openapi/schema/limits.ts";
import type { SettingValues } from "../core/settings.ts";
import type { Step, Tx } from "../core/store.ts";

/** The settings that say how long sessions last. */
type SessionLimits = Pick<SettingValues, "session_days" | "session_idle_hours">;

export const dayMilliseconds = 86_400_000;
const hourMilliseconds = 3_600_000;

/**
 * The SQL condition of a session `s` that has not ended; its four parameters, from number `first` on, are those of
 * {@link sessionCountsAt}.
 */
export function sessionCounts(first: number): string {
  return `s.expires_at > $${first} and s.created_at > $${first + 1} and s.seen_at > $${first + 2} and s.seen_at <= $${first + 3}`;
}

/**
 * Limits hold for sessions that have begun before they were changed too. A session that was used at a later time than
 * the present one was used while the clock was wrong: by how much it outlasts its limits nobody knows, so it has ended.
 */
export function sessionCountsAt({ session_days, session_idle_hours }: SessionLimits, now: number): number[] {
  return [now, now - session_days * dayMilliseconds, now - idleOf(session_idle_hours), now + aheadMilliseconds];
}

/** Clocks of several machines differ a little, and are set back a little. */
const aheadMilliseconds = hourMilliseconds;

/** The times at or before which a session has begun, or was last used, that has ended for good. */
export function sessionAges({ session_days, session_idle_hours }: SessionLimits): { begun: number; used: number } {
  return { begun: session_days * dayMilliseconds, used: idleOf(session_idle_hours) };
}

function idleOf(hours: number): number {
  return hours * hourMilliseconds;
}

/** The limits within a write. */
export function* sessionLimitsStep(tx: Tx): Step<SessionLimits> {
  const rows = yield* tx.all<{ name: string; value: string }>(
    "select name, value from setting where name in ('session_days', 'session_idle_hours')",
  );
  const stored = Object.fromEntries(rows.map(({ name, value }) => [name, Number(value)]));
  return {
    session_days: stored["session_days"] ?? limits.sessionDays,
    session_idle_hours: stored["session_idle_hours"] ?? limits.sessionIdleHours,
  };
}
