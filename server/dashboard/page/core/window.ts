/** Which rows of equal height are rendered: the visible ones and some around them. */
export function windowOf({
  top,
  height,
  rowHeight,
  count,
  around = 12,
}: {
  top: number;
  height: number;
  rowHeight: number;
  count: number;
  around?: number;
}): { from: number; to: number } {
  const first = Math.floor(top / rowHeight) - around;
  const last = Math.ceil((top + height) / rowHeight) + around;
  const from = Math.max(0, Math.min(first, count - 1));
  // The number of elements is bounded, however high the window is.
  return { from, to: Math.max(from, Math.min(last, count, from + mountedMax)) };
}

const mountedMax = 59;
