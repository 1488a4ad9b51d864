import type { Report } from "../types.ts";
import type { Exception } from "./exception.ts";

/** Limits how often equal errors are sent. */
export interface Repeats {
  /** How long after an error equal ones are left out, in seconds. Default: 60. */
  seconds?: number | undefined;
}

/** How many errors are remembered; the oldest is forgotten. */
const rememberedMax = 100;

/**
 * Returns a function that tells whether an equal error was in a report not long ago: one of equal name, message and
 * innermost frame. The time counts from the report that was sent.
 */
export function createRepeatGuard({ seconds = 60 }: Repeats): (report: Report) => boolean {
  const seen = new Map<string, number>();
  return ({ exception }) => {
    const { type, value, stack } = Object(exception) as Partial<Exception>;
    if (!stack) return false;
    const key = `${type} ${value} ${/^ *at .*|^.*@.*/m.exec(stack)}`;
    const now = performance.now();
    if ((seen.get(key) ?? 0) > now) return true;
    seen.delete(key);
    seen.set(key, now + seconds * 1_000);
    for (const oldest of seen.keys()) if (seen.size > rememberedMax) seen.delete(oldest);
    return false;
  };
}
