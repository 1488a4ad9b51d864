/** What others have sent, fit for a terminal and a page: nothing in it moves a cursor or turns the text around. */
export function printable(bytes: Uint8Array): string {
  // As a stream: a character that is cut in two at the end is left out.
  const text = new TextDecoder().decode(bytes, { stream: true });
  return text.replaceAll("\r\n", "\n").replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, "\u{fffd}");
}
