/**
 * Text of a receiver, made safe for terminals and pages: nothing in it moves the cursor or changes the direction of
 * text.
 */
export function printable(bytes: Uint8Array): string {
  // Decoded as a stream, so that a character that is cut in two at the end is left out.
  const text = new TextDecoder().decode(bytes, { stream: true });
  return text.replaceAll("\r\n", "\n").replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, "\u{fffd}");
}
