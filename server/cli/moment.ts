import { isMoment } from "../envelope/index-envelope.ts";

/** Reads an ISO 8601 time, in UTC unless it has an offset, as epoch milliseconds. */
export function readMoment(given: string): number {
  const zoned = /(Z|[+-]\d{2}(:?\d{2})?)$/.test(given) || !given.includes("T") ? given : `${given}Z`;
  const milliseconds = isMoment(given) ? Date.parse(zoned) : Number.NaN;
  if (Number.isNaN(milliseconds)) throw new Error("must be a time such as 2026-05-01 or 2026-05-01T12:00:00Z");
  return milliseconds;
}
