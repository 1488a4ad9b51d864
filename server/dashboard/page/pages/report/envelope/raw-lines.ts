const columns = 160;

/** The positions at which lines begin; a long line continues in further lines. */
export function startsOf(text: string): number[] {
  const starts: number[] = [];
  let end = -1;
  for (let at = 0; at < text.length; ) {
    starts.push(at);
    if (at > end) {
      const next = text.indexOf("\n", at);
      end = next < 0 ? text.length : next;
    }
    at = end + 1 - at > columns + 1 ? at + columns : end + 1;
    // Does not cut between the two halves of a surrogate pair.
    if (isLowHalf(text.charCodeAt(at))) at++;
  }
  return starts;
}

function isLowHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
