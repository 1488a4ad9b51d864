/**
 * A value in a JSON text, given by its position. Values are parsed only when they are shown, so every byte stays as it
 * was sent.
 */
export interface Span {
  kind: "object" | "array" | "string" | "number" | "word";
  start: number;
  end: number;
}

export interface Member extends Span {
  /** The name of the member, decoded; in a list its index. */
  key: string | number;
}

const plain = /[^,\]}\t\n\r ]*/y;
const [quote, open, shut, opens, shuts] = [...'"[]{}'].map((sign) => sign.charCodeAt(0));

/** The value that begins at or after this position. */
export function spanAt(text: string, from = 0): Span {
  const start = skip(text, from);
  const first = text[start];
  if (first === "{" || first === "[") {
    return { kind: first === "{" ? "object" : "array", start, end: endOfContainer(text, start) };
  }
  if (first === '"') return { kind: "string", start, end: endOfString(text, start) };
  plain.lastIndex = start;
  plain.exec(text);
  const end = Math.max(plain.lastIndex, start + 1);
  return { kind: /[-\d]/.test(first ?? "") ? "number" : "word", start, end };
}

/** The members of an object or list in their order, at most `max`. */
export function membersOf(text: string, { kind, start, end }: Span, max = Number.POSITIVE_INFINITY): Member[] {
  const members: Member[] = [];
  let at = skip(text, start + 1);
  while (at < end - 1 && members.length < max) {
    let key: string | number = members.length;
    if (kind === "object") {
      const stop = endOfString(text, at);
      key = stringOf(text.slice(at, stop));
      at = skip(text, skip(text, stop) + 1);
    }
    const value = spanAt(text, at);
    members.push({ key, ...value });
    at = skip(text, value.end);
    if (text[at] === ",") at = skip(text, at + 1);
  }
  return members;
}

/** Decodes a string literal; anything else is returned as it is. */
export function stringOf(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}

function skip(text: string, from: number): number {
  let at = from;
  // Only white space, whose codes are at most that of the blank, stands between values.
  while (text.charCodeAt(at) <= 32) at++;
  return at;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const next = text.indexOf('"', at);
    if (next < 0) return text.length;
    let slashes = 0;
    while (text[next - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return next + 1;
    at = next + 1;
  }
  return text.length;
}

/** Finds the end by counting open brackets, without recursion, so that the depth has no limit. */
function endOfContainer(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const sign = text.charCodeAt(at);
    if (sign === quote) {
      at = endOfString(text, at);
      continue;
    }
    at++;
    if (sign === open || sign === opens) depth++;
    else if ((sign === shut || sign === shuts) && --depth === 0) return at;
  }
  return text.length;
}
