import type { Span } from "../core/time-range.ts";
import { steps } from "./tally.ts";

const hour = 3_600_000;

/**
 * The length of a bar and the length of the stored buckets that it adds up, in milliseconds. A chart has some dozen bars.
 */
export function barsOf({ since, until }: Span, now: number): { bar: number; step: number } {
  const length = until - since;
  const short = length <= 25 * hour && now - since <= 25 * hour;
  if (short) return { bar: length <= 2 * hour ? steps.short : 3 * steps.short, step: steps.short };
  const bar = [hour, 6 * hour, 24 * hour].find((bar) => length / bar <= 200) ?? 7 * 24 * hour;
  return { bar, step: steps.long };
}
