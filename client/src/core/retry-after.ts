/**
 * Retry-After (RFC 9110, 10.2.3) in milliseconds: whole seconds, or a date in any of its three forms. Anything else
 * counts as absent. A date is taken relative to the server's own `Date` where that can be read: clocks differ.
 */
export function retryAfterMs(value = "", date?: string): number | undefined {
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : dateOf(value) - (dateOf(date) || Date.now());
  return ms >= 0 ? ms : ms < 0 ? 0 : undefined;
}

/** `Date.parse` alone reads far too much: "7 apples" is a day in 2001 to some. */
function dateOf(text = ""): number {
  return /^[SMTWF][a-z]+,? .+:\d\d (GMT|\d{4})$/.test(text)
    ? Date.parse(`${text.replace(" GMT", "")} GMT`)
    : Number.NaN;
}
