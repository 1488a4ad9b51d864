/** JSON text with control and format characters escaped where JSON would let them stand: the same value, fit to be seen. */
export function plainJson(json: string): string {
  return json.replace(steering, (text) =>
    Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`).join(""),
  );
}

/** What steers a terminal or turns the order of text round; line ends stand between values only. */
const steering = /[^\P{Cc}\n\r\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu;
