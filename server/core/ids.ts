const countMax = 0xfff;

/**
 * UUIDv7 (RFC 9562), lower case, each above the one before, also within a millisecond and when the clock steps back:
 * lists and cursors order by them.
 */
export function idMaker(now: () => number): () => string {
  let latest = 0;
  let before = "";
  return () => {
    latest = Math.max(latest, now());
    let id = Bun.randomUUIDv7("hex", latest);
    // Bun counts within a millisecond, and begins anew at random when any thread has asked for an id of another one.
    while (id <= before) {
      const count = Number.parseInt(before.slice(15, 18), 16) + 1;
      if (count > countMax) id = Bun.randomUUIDv7("hex", ++latest);
      else id = before.slice(0, 15) + count.toString(16).padStart(3, "0") + id.slice(18);
    }
    before = id;
    return id;
  };
}
