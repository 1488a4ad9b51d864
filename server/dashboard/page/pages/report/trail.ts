import { span } from "../../core/time.ts";
import type { ReportDetail } from "../reports/types.ts";

type Breadcrumb = ReportDetail["breadcrumbs"]["items"][number];

/** "−8.2 s", "0", "+0.4 s": the time relative to the report. */
export function before(milliseconds: number): string {
  const size = Math.abs(milliseconds);
  if (size < 50) return "0";
  const sign = milliseconds > 0 ? "−" : "+";
  return sign + (size < 59_950 ? `${(size / 1_000).toFixed(1)} s` : span(size));
}

export function isBad({ level }: Breadcrumb): boolean {
  return level !== null && /^(fatal|error|critical)$/i.test(level);
}

/** The categories of the breadcrumbs and how many each has, the most frequent first. */
export function categoriesOf(items: readonly Breadcrumb[]): { name: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { category } of items) counts.set(category ?? "other", (counts.get(category ?? "other") ?? 0) + 1);
  return [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count);
}
