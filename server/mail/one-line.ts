/**
 * Text as one line of at most `max` characters: no line break, which would begin another header, and nothing that
 * changes the direction of text. No character is cut in two.
 */
export function oneLine(text: string, max: number): string {
  return cut(text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ").trim(), max);
}

export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
