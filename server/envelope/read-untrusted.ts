/** Reads JSON that strangers wrote in any shape: results are bounded, and empty where the shape is not understood. */

export type Members = Record<string, unknown>;

const textMax = 1_000;
const entriesMax = 60;
const depthMax = 4;

export function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Any value as text, cut to `max` UTF-16 units. */
export function textOf(value: unknown, max = textMax): string {
  const text = typeof value === "string" ? value : (shallow(value) ?? "");
  return (text.length > max ? `${text.slice(0, max - 1)}…` : text).toWellFormed();
}

/** The first of the named members that is text and not empty; null when none is. */
export function firstText(members: Members, names: readonly string[], max = textMax): string | null {
  for (const name of names) {
    const value = members[name];
    if (typeof value === "string" && value !== "") return textOf(value, max);
  }
  return null;
}

/** The members of an object as names and text; those of nested objects are named by their path. */
export function entriesOf(value: unknown): { name: string; value: string }[] {
  const entries: { name: string; value: string }[] = [];
  const add = (members: Members, path: string, depth: number) => {
    for (const [name, member] of Object.entries(members)) {
      if (entries.length >= entriesMax) return;
      if (isMembers(member) && depth < depthMax) add(member, `${path}${textOf(name)}.`, depth + 1);
      else if (member !== null) entries.push({ name: path + textOf(name), value: textOf(member) });
    }
  };
  if (isMembers(value)) add(value, "", 1);
  return entries;
}

/** JSON of a value, cut while it is written: writing all of a large or deep value would take long. */
function shallow(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return String(value);
  let budget = textMax;
  const write = (part: unknown, depth: number): unknown => {
    if (--budget < 0 || depth > depthMax) return "…";
    if (typeof part === "string") {
      budget -= part.length;
      return part.slice(0, textMax);
    }
    if (Array.isArray(part)) return part.slice(0, entriesMax).map((one) => write(one, depth + 1));
    if (!isMembers(part)) return part;
    const some = Object.entries(part).slice(0, entriesMax);
    return Object.fromEntries(some.map(([name, one]) => [name.slice(0, textMax), write(one, depth + 1)]));
  };
  return JSON.stringify(write(value, 0));
}
