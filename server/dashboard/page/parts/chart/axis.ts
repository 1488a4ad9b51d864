import { clock, day } from "../../core/time.ts";

/** A few labels evenly spread along the time axis; the last one stands at its end. */
export function labelsOf(at: readonly string[], stepSeconds: number, until: string, now = Date.now()): string[] {
  const count = Math.min(labelsMax, at.length);
  const labels = Array.from({ length: count }, (_, i) => {
    const moment = at[Math.floor((i * at.length) / count)];
    return moment === undefined ? "" : labelOf(moment, stepSeconds * at.length);
  });
  const ends =
    Math.abs(now - Date.parse(until)) < stepSeconds * 1_000 ? "now" : labelOf(until, stepSeconds * at.length);
  return [...labels, ends];
}

const labelsMax = 6;

/** The server writes its counts once a second, so the last second is not complete. */
export const countedMilliseconds = 1_300;

/** The hour in a range of up to two days, otherwise the day. */
function labelOf(moment: string, spanSeconds: number): string {
  if (spanSeconds > 2 * 86_400) return day(moment);
  return clock(moment);
}

/** "21 Nov 14:00–15:00", in the reader's zone. */
export function bucketWords(at: string, stepSeconds: number): string {
  const [from, to] = [Date.parse(at), Date.parse(at) + stepSeconds * 1_000];
  if (stepSeconds >= 86_400) return day(from);
  return `${day(from)} ${clock(from)}–${clock(to)}`;
}
