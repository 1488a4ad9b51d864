/** A moment as an input of type datetime-local takes it: in the reader's zone, without naming it. */
export function localTime(time: number): string {
  const date = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return date.toISOString().slice(0, 16);
}

/** The moment in UTC; undefined while the input is empty. */
export function utcOf(text: string): string | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
