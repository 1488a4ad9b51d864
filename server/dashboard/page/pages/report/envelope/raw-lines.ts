const columns = 160;

/** Where lines begin; long ones begin again. */
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
    // Not between the halves of a character.
    if (isLowHalf(text.charCodeAt(at))) at++;
  }
  return starts;
}

function isLowHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
