const countMax = 0xfff;

/**
 * UUIDv7 (RFC 9562), lower case, each above the one before, also within a millisecond and when the clock steps back:
 * lists and cursors order by them. Counted here (section 6.2, method 1), because what Bun counts is shared by the whole
 * process and begins anew whenever another time is asked for.
 */
export function idMaker(now: () => number): () => string {
  let latest = 0;
  let count = 0;
  return () => {
    const time = now();
    if (time > latest) {
      latest = time;
      count = 0;
    } else if (++count > countMax) {
      latest++;
      count = 0;
    }
    const hex = latest.toString(16).padStart(12, "0");
    // What is behind the version of a random UUID: the variant, and 62 random bits.
    const random = crypto.randomUUID().slice(19);
    return `${hex.slice(0, 8)}-${hex.slice(8)}-7${count.toString(16).padStart(3, "0")}-${random}`;
  };
}
