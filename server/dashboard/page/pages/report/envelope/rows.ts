import { type Member, membersOf, type Span, stringOf } from "./spans.ts";

/** A line of the tree. */
export interface Line extends Member {
  /** JSON pointer: "/tags/build". */
  path: string;
  depth: number;
  open: boolean;
  /** The position among the members of the same owner, and their number. */
  index: number;
  of: number;
}

/** Members of one object or list that are shown at most. */
export const membersMax = 10_000;

/** The lines of everything that is open, in order. The members of an owner are read once, when it is first opened. */
export class Lines {
  readonly #text: string;
  readonly #members = new Map<string, Member[]>();

  constructor(text: string) {
    this.#text = text;
  }

  of(root: Span, open: ReadonlySet<string>): Line[] {
    const lines: Line[] = [];
    // An explicit stack instead of recursion, because a sent envelope may be nested deeply.
    const pile: { path: string; depth: number; members: Member[]; next: number }[] = [
      { path: "", depth: 1, members: this.#membersOf("", root), next: 0 },
    ];
    for (let top = pile.at(-1); top; top = pile.at(-1)) {
      const member = top.members[top.next++];
      if (!member) {
        pile.pop();
        continue;
      }
      const path = `${top.path}/${escaped(member.key)}`;
      const isOpen = canOpen(member) && open.has(path);
      lines.push({ ...member, path, depth: top.depth, open: isOpen, index: top.next, of: top.members.length });
      if (isOpen) pile.push({ path, depth: top.depth + 1, members: this.#membersOf(path, member), next: 0 });
    }
    return lines;
  }

  #membersOf(path: string, span: Span): Member[] {
    let members = this.#members.get(path);
    if (!members) {
      members = membersOf(this.#text, span, membersMax);
      this.#members.set(path, members);
    }
    return members;
  }

  /** The number of members; undefined when the value is too long to count them for a closed line. */
  countOf({ path, start, end, kind }: Line): number | undefined {
    const cached = this.#members.get(path);
    if (cached) return cached.length;
    return end - start > countedCharacters ? undefined : membersOf(this.#text, { kind, start, end }).length;
  }
}

const countedCharacters = 20_000;

export function canOpen({ kind, start, end }: Span): boolean {
  return (kind === "object" || kind === "array") && end - start > 2;
}

function escaped(key: string | number): string {
  return String(key).replaceAll("~", "~0").replaceAll("/", "~1");
}

const shownMax = 300;

/** The text that a line shows for its value: strings decoded and cut, everything else as it was sent. */
export function shownOf(text: string, { kind, start, end }: Span): { value: string; cut: boolean } {
  if (kind === "string") {
    const value = stringOf(text.slice(start, end));
    return { value: value.slice(0, shownMax), cut: value.length > shownMax };
  }
  return { value: text.slice(start, Math.min(end, start + shownMax)), cut: end - start > shownMax };
}

/** The text that is copied for a value: a string decoded, everything else as it was sent. */
export function copiedOf(text: string, { kind, start, end }: Span): string {
  const given = text.slice(start, end);
  return kind === "string" ? stringOf(given) : given;
}
