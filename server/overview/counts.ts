import type { Reader } from "../core/store.ts";
import type { Span } from "../core/time-range.ts";
import { barsOf } from "./bars.ts";
import { bucketOf, type Series } from "./tally.ts";

/** Counts of a project over a span, bar by bar. */
export class Counts {
  /** Starts of the bars, oldest first, without gaps. */
  readonly at: number[] = [];
  readonly bar: number;
  readonly #series = new Map<Series, Map<string, number[]>>();

  constructor({ since, until }: Span, bar: number) {
    this.bar = bar;
    for (let at = bucketOf(since, bar); at < until; at += bar) this.at.push(at);
  }

  add({ at, series, label, count }: CountRow) {
    const index = Math.floor((at - (this.at[0] ?? 0)) / this.bar);
    if (index < 0 || index >= this.at.length) return;
    const labels = this.#series.getOrInsertComputed(series, () => new Map<string, number[]>());
    const counts = labels.getOrInsertComputed(label, () => this.at.map(() => 0));
    counts[index] = (counts[index] ?? 0) + count;
  }

  /** Counts by label; only labels that occur. */
  labels(series: Series): Map<string, number[]> {
    return this.#series.get(series) ?? new Map();
  }

  /** Counts of all labels together. */
  bars(series: Series): number[] {
    const all = [...this.labels(series).values()];
    return this.at.map((_, i) => all.reduce((sum, counts) => sum + (counts[i] ?? 0), 0));
  }

  total(series: Series): number {
    return sumOf(this.bars(series));
  }

  /** Totals by label. */
  totals(series: Series): Map<string, number> {
    return new Map([...this.labels(series)].map(([label, counts]) => [label, sumOf(counts)]));
  }
}

export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

type CountRow = { at: number; series: Series; label: string; count: number };

export async function readCounts(store: Reader, projectId: string, span: Span, now: number): Promise<Counts> {
  const { bar, step } = barsOf(span, now);
  const counts = new Counts(span, bar);
  const rows = await store.all<CountRow>(
    `select floor(at / $5) * $5 as at, series, label, sum(count) as count from tally
     where project_id = $1 and step = $2 and at >= $3 and at < $4 group by 1, 2, 3`,
    [projectId, step, counts.at[0] ?? span.since, span.until, bar],
  );
  for (const row of rows) counts.add(row);
  return counts;
}
