/** A text without case and accents, as the index of cards stores it. */
export function foldedTitle(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").normalize("NFC").toLowerCase();
}

/** The words of a text, made of letters and digits alone. */
export function cardWords(text: string): string[] {
  return foldedTitle(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}
