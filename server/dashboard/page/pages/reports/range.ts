import { clock, day } from "../../core/time.ts";

export const spans = ["1h", "24h", "7d", "30d"] as const;
export type Span = (typeof spans)[number];

/** The range of times of receipt: a span that ends now, or two moments. */
export type Range = { span: Span } | { since: string; until: string };

const usual: Span = "24h";

export function rangeIn(query: URLSearchParams): Range {
  const [since, until] = [momentOf(query.get("since")), momentOf(query.get("until"))];
  if (since !== undefined && until !== undefined && since < until) {
    return { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
  }
  return { span: spans.find((span) => span === query.get("range")) ?? usual };
}

function momentOf(text: string | null): number | undefined {
  const moment = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(moment) ? undefined : moment;
}

/** The range as the address and the calls write it. */
export function rangeQuery(range: Range): { range: string | undefined; since?: string; until?: string } {
  return "span" in range ? { range: range.span } : { range: undefined, ...range };
}

export function rangeWords(range: Range): string {
  if ("span" in range)
    return { "1h": "the last hour", "24h": "the last 24 hours", "7d": "the last 7 days", "30d": "the last 30 days" }[
      range.span
    ];
  return `${dayAndClock(range.since)} to ${dayAndClock(range.until)}`;
}

export function spanLabel(span: Span): string {
  return span.replace(/(\d)([a-z])/, "$1 $2");
}

/** "21 Nov 14:00" */
export function dayAndClock(moment: string | number): string {
  return `${day(moment)} ${clock(moment)}`;
}

/** A moment as a date and time input takes it, in the reader's zone. */
export function inputMoment(moment: string | number): string {
  const date = new Date(moment);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
