/** A value of a JSON text, by where it stands: nothing is parsed until it is looked at, and every byte is as it was sent. */
export interface Span {
  kind: "object" | "array" | "string" | "number" | "word";
  start: number;
  end: number;
}

export interface Member extends Span {
  /** As it stands in the text, decoded; an index in lists. */
  key: string | number;
}

const plain = /[^,\]}\t\n\r ]*/y;
const [quote, open, shut, opens, shuts] = [...'"[]{}'].map((sign) => sign.charCodeAt(0));

/** The value that begins at or after this place. */
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

/** What an object or list has, in its order, at most so many. */
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

/** A string literal, decoded; as it stands when it is none. */
export function stringOf(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}

function skip(text: string, from: number): number {
  let at = from;
  // Nothing below the blank but white space stands between values.
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

/** However deep it is: a count of open brackets, no recursion. */
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
