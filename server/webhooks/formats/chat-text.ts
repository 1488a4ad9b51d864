import { escapeInvisible } from "../../text/escape-invisible.ts";

/**
 * One line of text that strangers wrote, for a chat: without line breaks and control characters, and with invisible
 * characters made visible. At most `max` UTF-16 units, so that a service that counts in another unit counts no more.
 */
export function oneLine(text: string, max: number): string {
  // What lies far beyond the end is cut first: a title may have thousands of characters.
  const plain = escapeInvisible(text.slice(0, 4 * max).replaceAll(/[\s\p{Cc}]+/gu, " ")).trim();
  return cut(plain, max);
}

/** Ends with an ellipsis where something was cut off, and cuts no character in two. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/**
 * Takes from a text what chat clients turn into links and mentions by themselves, in whatever markup: a zero-width space
 * stands behind `@`, and within `://` and `www.`.
 */
export function unlinked(text: string): string {
  return text.replaceAll("@", "@\u200b").replaceAll("://", ":\u200b//").replaceAll(/www\./gi, "$&\u200b");
}
