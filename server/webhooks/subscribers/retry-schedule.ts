/**
 * Seconds before each attempt; the first is made at once. This is the schedule of Standard Webhooks, three days in all.
 * Its length is the number of attempts.
 */
export const usualSchedule: readonly number[] = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

const attemptsMax = 50;
const secondsMax = 7 * 86_400;

/**
 * Reads numbers of seconds, separated by commas, of which the first is 0. Throws an error with a sentence for people.
 */
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
 * Milliseconds from now until the next attempt, after `tries` attempts; undefined when the schedule has ended. `random`
 * is between 0 and 1, so that deliveries that failed together are not tried again together.
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

/** The longest wait of a delivery in milliseconds, whatever its receiver has asked for. */
export function longestWait(schedule: readonly number[]): number {
  return Math.max(retryAfterMaxMs, ...schedule.map((seconds) => seconds * 1_000 * (1 + jitter)));
}
