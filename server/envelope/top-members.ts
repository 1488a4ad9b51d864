const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;

/**
 * The text of some members of a JSON object, without parsing the others: an envelope of 5 MiB may have a million values.
 * `json` must be valid. Of a repeated member the last one counts, as with `JSON.parse`.
 */
export function topMembers(json: string, names: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  let depth = 0;
  let name: string | undefined;
  let from = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(json, at);
      if (depth === 1 && name === undefined) name = textOf(json.slice(at, end + 1));
      at = end;
    } else if (code === colon && depth === 1 && from === 0) from = at + 1;
    else if (isOpening(code)) depth++;
    else if ((code === comma && depth === 1) || (isClosing(code) && --depth === 0)) {
      if (name !== undefined && names.includes(name)) found.set(name, json.slice(from, at).trim());
      name = undefined;
      from = 0;
    }
  }
  return found;
}

/** The text of a string in JSON. */
function textOf(quoted: string): string {
  return quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

/** The position of the closing quote of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json.charCodeAt(before) === backslash) before--;
  return (at - before) % 2 === 0;
}

/** Whether the character is `{` or `[`. */
function isOpening(code: number): boolean {
  return code === 0x7b || code === 0x5b;
}

function isClosing(code: number): boolean {
  return code === 0x7d || code === 0x5d;
}
