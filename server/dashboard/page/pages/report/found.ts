const foundMax = 1_000;

/** Splits a text into the parts that match the search, without regard to case, and the parts between them. */
export function pieces(text: string, wanted: string): { parts: { text: string; found: boolean }[]; count: number } {
  if (wanted === "") return { parts: [{ text, found: false }], count: 0 };
  // Matches without changing the case of the text, because that can change its length and move the positions.
  const shape = new RegExp(wanted.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"), "giu");
  const parts: { text: string; found: boolean }[] = [];
  let from = 0;
  let count = 0;
  for (const { 0: found, index } of text.matchAll(shape)) {
    if (count === foundMax) break;
    if (index > from) parts.push({ text: text.slice(from, index), found: false });
    parts.push({ text: found, found: true });
    from = index + found.length;
    count++;
  }
  if (from < text.length) parts.push({ text: text.slice(from), found: false });
  return { parts, count };
}
