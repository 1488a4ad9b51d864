/** Deeper ones stand below each other: an answer of brackets alone must not become megabytes of blanks. */
const indentMax = 20;
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * JSON with each member on a line of its own; numbers, escapes and repeated names stay as they were sent. Undefined when
 * the text is no JSON object or array.
 */
export function laidOutJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text) || !isJson(text)) return undefined;
  let depth = 0;
  let before = "";
  let laidOut = "";
  const line = () => `\n${"  ".repeat(Math.min(depth, indentMax))}`;
  for (const [token] of text.matchAll(tokens)) {
    const closes = token === "}" || token === "]";
    if (closes) depth--;
    // Nothing stands between the two of an empty one.
    if (before === "," || (closes ? !opens(before) : opens(before))) laidOut += line();
    laidOut += token === ":" ? ": " : token;
    if (opens(token)) depth++;
    before = token;
  }
  return laidOut;
}

function opens(token: string): boolean {
  return token === "{" || token === "[";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
