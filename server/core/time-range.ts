import { Refusal } from "./context.ts";

const hour = 3_600_000;
const ranges = { "1h": hour, "24h": 24 * hour, "7d": 168 * hour, "30d": 720 * hour } as const;

export interface Span {
  /** Epoch milliseconds; `until` is not part of it. */
  since: number;
  until: number;
}

/** The range that `range`, or `since` and `until`, name in a query string; undefined when none is given. */
export function rangeIn(query: URLSearchParams, now: number): { since?: number; until?: number } {
  const range = query.get("range");
  if (range !== null) {
    if (!Object.hasOwn(ranges, range)) throw new Refusal("invalid_input", "range must be 1h, 24h, 7d or 30d");
    return { since: now - ranges[range as keyof typeof ranges] };
  }
  const [since, until] = [momentIn(query, "since"), momentIn(query, "until")];
  return { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
}

function momentIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new Refusal("invalid_input", `${name} must be a date and time`);
  return time;
}

/** The range of a chart: the last 24 hours unless the query names another one. */
export function spanIn(query: URLSearchParams, now: number): Span {
  const { since, until = now } = rangeIn(query, now);
  const start = since ?? until - ranges["24h"];
  if (start >= until) throw new Refusal("invalid_input", "since must be before until");
  return { since: Math.max(start, 0, until - 400 * 24 * hour), until };
}
