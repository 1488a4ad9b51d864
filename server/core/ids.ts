/**
 * UUIDv7 (RFC 9562), lower case, each above the one before, also within a millisecond and when the clock steps back:
 * lists and cursors order by them.
 */
export function idMaker(now: () => number): () => string {
  let latest = 0;
  return () => {
    latest = Math.max(latest, now());
    return Bun.randomUUIDv7("hex", latest);
  };
}
