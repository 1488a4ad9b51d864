/**
 * Makes text from strangers safe to read: an invisible character that changes what people see is replaced by its code
 * point, such as `[U+202E]`.
 *
 * A right-to-left override shows the program `photognp.exe` as `photoexe.png`, a zero-width space makes two equal names of different
 * ones (Unicode TR 36). Characters that ordinary text needs stay: joiners of emoji and of Arabic and Indic letters,
 * marks of direction beside Hebrew and Arabic letters, and all that can be seen. Values that programs read are never changed.
 */
export function escapeInvisible(text: string): string {
  if (!invisible.test(text)) return text;
  return text.replace(ordinaryOrInvisible, (found, ordinary: string | undefined) =>
    ordinary === undefined ? codePointOf(found) : found,
  );
}

/** Format characters (but not those that are drawn, such as the Arabic number sign), separators, and empty fillers. */
const drawn = "\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}";
const hidden = `(?![${drawn}])[\\p{Cf}\\p{Zl}\\p{Zp}\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u3164\\uffa0]`;
const invisible = new RegExp(hidden, "u");

const joiningScripts = "Arab Syrc Mong Nkoo Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt";
const joining = joiningScripts.replaceAll(/\w+ ?/g, (script) => `\\p{Script=${script.trim()}}`);
const rightToLeft = "\\p{Script=Hebr}\\p{Script=Arab}\\p{Script=Syrc}\\p{Script=Thaa}\\p{Script=Nkoo}";
const picture = "\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]*";

/**
 * The first group matches what stays. A look-behind begins only at an invisible character and reaches back at most to the
 * previous one, and an emoji is matched whole: so the time grows with the length of the text, whatever a stranger writes.
 */
const ordinaryOrInvisible = new RegExp(
  [
    "(",
    // Emoji of several code points, tagged (the flag of Scotland) or joined (a family): Unicode TS 51.
    `\\u{1f3f4}[\\u{e0020}-\\u{e007e}]+\\u{e007f}|${picture}(?:\\u200d${picture})*`,
    `|[\\u200c\\u200d](?<=[${joining}]\\p{M}*.)(?=[${joining}])`,
    `|[\\u200e\\u200f\\u061c](?:(?<=[${rightToLeft}]\\p{M}*.)|(?=[${rightToLeft}]))`,
    `)|${hidden}`,
  ].join(""),
  "gu",
);

function codePointOf(character: string): string {
  return `[U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}]`;
}
