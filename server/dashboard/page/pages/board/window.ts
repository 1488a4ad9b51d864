/** Space between two cards, in pixels. */
export const gap = 7;

/** The offset of each card from the top of the list, and at the end the height of the list. */
export function offsetsOf(heights: readonly number[]): number[] {
  const offsets = [0];
  let sum = 0;
  for (const height of heights) {
    sum += height + gap;
    offsets.push(sum);
  }
  return offsets;
}

/** The index of the first card that ends below `top`. */
export function indexAt(offsets: readonly number[], top: number): number {
  let [low, high] = [0, offsets.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle + 1] ?? Number.POSITIVE_INFINITY) <= top) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The most cards that are rendered at once: a column may hold thousands. */
export const mountedMax = 40;
const beyond = 6;

/** Which cards are rendered: the visible ones and some on both sides, so that a turn of the wheel finds them ready. */
export function windowOf(offsets: readonly number[], top: number, height: number): { from: number; to: number } {
  const count = offsets.length - 1;
  const first = indexAt(offsets, top);
  const last = indexAt(offsets, top + height);
  const from = Math.max(0, Math.min(first, count) - beyond);
  return { from, to: Math.min(count, last + 1 + beyond, from + mountedMax) };
}

/** Estimates the height of a card that was not rendered yet, from what stands on it. */
export function guessHeight(
  card: {
    title: string;
    run: unknown;
    priority: string;
    dueAt: string | null;
    assignee: unknown;
    author: { kind: string };
  },
  dense: boolean,
): number {
  const lines = card.title.length > 36 ? 2 : 1;
  const meta = card.priority !== "none" || card.dueAt !== null || card.assignee !== null;
  const parts = [lines * 18, ...(card.run ? [20] : []), ...(meta ? [20] : [])];
  const body = parts.reduce((sum, part) => sum + part) + (parts.length - 1) * 7 + (dense ? 10 : 18);
  return body + 2 + (card.author.kind === "token" ? 27 : 0);
}
