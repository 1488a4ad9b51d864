import type { Span } from "../core/time-range.ts";
import { steps } from "./tally.ts";

const hour = 3_600_000;

/** Length of a bar in milliseconds, so that there are some dozen of them, and which of the counts they are made of. */
export function barsOf({ since, until }: Span, now: number): { bar: number; step: number } {
  const length = until - since;
  const short = length <= 25 * hour && now - since <= 25 * hour;
  if (short) return { bar: length <= 2 * hour ? steps.short : 3 * steps.short, step: steps.short };
  const bar = [hour, 6 * hour, 24 * hour].find((bar) => length / bar <= 200) ?? 7 * 24 * hour;
  return { bar, step: steps.long };
}
