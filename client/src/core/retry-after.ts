/**
 * Reads a `Retry-After` header (RFC 9110, 10.2.3) as milliseconds. It holds whole seconds or a date in one of three
 * formats; any other value counts as absent. A date is compared with the answer's `Date` header where there is one,
 * because the clocks of server and client differ.
 */
export function readRetryAfter(value = "", date?: string): number | undefined {
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : dateOf(value) - (dateOf(date) || Date.now());
  return ms >= 0 ? ms : ms < 0 ? 0 : undefined;
}

/** Epoch milliseconds of an HTTP date, otherwise NaN. `Date.parse` alone accepts too much: some engines read "7 apples" as a day in 2001. */
function dateOf(text = ""): number {
  return Date.parse(/^[SMTWF][a-z]+,? .+:\d\d (GMT|\d{4})$/.test(text) ? text.replace(/( GMT)?$/, " GMT") : "");
}
