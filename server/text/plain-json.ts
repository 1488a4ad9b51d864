/**
 * Escapes control and format characters that JSON allows in its strings: the value stays, and the text is safe to show.
 */
export function plainJson(json: string): string {
  return json.replace(steering, (text) =>
    Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""),
  );
}

/**
 * Characters that control a terminal or reverse the order of text. Line ends are kept: they stand between values only.
 */
const steering = /[^\P{Cc}\n\r\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu;
