/**
 * Seconds before each attempt, the first being at once: the schedule of Standard Webhooks, three days in all. Its length
 * is the number of attempts.
 */
export const usualSchedule: readonly number[] = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

const jitter = 0.2;
const retryAfterMaxMs = 86_400_000;

/**
 * When a delivery is tried again, in milliseconds from now, after so many tries; undefined when they are spent. `luck`
 * is between 0 and 1: deliveries that failed together do not come back together.
 */
export function waitAfter(
  tries: number,
  { schedule, luck, retryAfterMs = 0 }: { schedule: readonly number[]; luck: number; retryAfterMs?: number | undefined },
): number | undefined {
  const seconds = schedule[tries];
  if (seconds === undefined) return undefined;
  const wait = seconds * 1_000 * (1 - jitter + 2 * jitter * luck);
  return Math.max(wait, Math.min(retryAfterMs, retryAfterMaxMs));
}
