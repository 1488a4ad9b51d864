const foundMax = 1_000;

/** A text in pieces: those that are looked for, without regard to case, and those between them. */
export function pieces(text: string, wanted: string): { parts: { text: string; found: boolean }[]; count: number } {
  if (wanted === "") return { parts: [{ text, found: false }], count: 0 };
  // Letters without case of their own stay one long, so that places agree.
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
