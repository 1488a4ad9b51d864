/** Deeper values are not indented further: an answer of nothing but brackets must not become megabytes of blanks. */
const indentMax = 20;
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * Lays out JSON with each member on a line of its own. Numbers, escapes and repeated names stay as they were sent.
 * Returns undefined when the text is not a JSON object or array.
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
    // An empty object or array stays on one line.
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
