/**
 * Seconds before each attempt, the first being at once: the schedule of Standard Webhooks, three days in all. Its length
 * is the number of attempts.
 */
export const usualSchedule: readonly number[] = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

const attemptsMax = 50;
const secondsMax = 7 * 86_400;

/** Numbers of seconds with commas between them, the first being 0. Throws an error for people. */
export function readSchedule(text: string): readonly number[] {
  const seconds = text.split(",").map((part) => (/^\s*\d+(\.\d+)?\s*$/.test(part) ? Number(part) : Number.NaN));
  const fits = seconds.length <= attemptsMax && seconds.every((one) => one >= 0 && one <= secondsMax);
  if (!fits || seconds[0] !== 0) {
    throw new Error(
      `up to ${attemptsMax} numbers of seconds with commas between them, such as 0,5,300; the first is 0`,
    );
  }
  return seconds;
}

const jitter = 0.2;
const retryAfterMaxMs = 86_400_000;

/**
 * When a delivery is tried again, in milliseconds from now, after so many tries; undefined when they are spent. `random`
 * is between 0 and 1: deliveries that failed together do not come back together.
 */
export function waitAfter(
  tries: number,
  {
    schedule,
    random,
    retryAfterMs = 0,
  }: { schedule: readonly number[]; random: number; retryAfterMs?: number | undefined },
): number | undefined {
  const seconds = schedule[tries];
  if (seconds === undefined) return undefined;
  const wait = seconds * 1_000 * (1 - jitter + 2 * jitter * random);
  return Math.max(wait, Math.min(retryAfterMs, retryAfterMaxMs));
}

/** No delivery waits longer than this, in milliseconds, whatever its receiver has asked for. */
export function longestWait(schedule: readonly number[]): number {
  return Math.max(retryAfterMaxMs, ...schedule.map((seconds) => seconds * 1_000 * (1 + jitter)));
}
