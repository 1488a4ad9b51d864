/** Upper bounds in milliseconds. Latencies are counted in buckets, because no chart needs each of them. */
const bounds = [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 300_000] as const;

export function latencyLabel(milliseconds: number): string {
  return String(bounds.find((bound) => milliseconds <= bound) ?? "more");
}

/** A quantile in milliseconds, interpolated within its bucket; null without any count. */
export function latencyQuantile(counts: ReadonlyMap<string, number>, quantile: number): number | null {
  const total = counts.values().reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = quantile * total;
  let lower = 0;
  for (const bound of bounds) {
    const count = counts.get(String(bound)) ?? 0;
    if (count > 0 && left <= count) return Math.round(lower + (bound - lower) * (left / count));
    left -= count;
    lower = bound;
  }
  return lower;
}
