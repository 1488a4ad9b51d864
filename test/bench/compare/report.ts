import type { Machine } from "../machine.ts";
import { describe, rowsTable } from "../report-tables.ts";
import type { RowCount } from "../row-count.ts";
import { table } from "../table.ts";
import { type Metric, surelySlower, tolerated } from "./verdict.ts";

interface Report {
  machine: Machine;
  work: string;
  old: string;
  new: string;
  count: number;
  metrics: Metric[];
  /** Of a load. */
  rows: RowCount[];
  /** Names of the metrics that are surely worse by more than is tolerated. */
  slower: string[];
  /** What was left out, and why. */
  leftOut: string[];
}

export function present({ machine, work, old, new: fresh, count, metrics, rows, leftOut }: Report): string {
  return [
    `${work}, ${count} interleaved pairs\nold: ${old}\nnew: ${fresh}`,
    table(
      ["", "old", "new", "new/old", "95 % interval"],
      metrics.map(({ name, digits, old, new: now, ratio, low, high }) => [
        name,
        old.toFixed(digits),
        now.toFixed(digits),
        ratio.toFixed(3),
        `${low.toFixed(3)} to ${high.toFixed(3)}`,
      ]),
    ),
    ...leftOut,
    ...(rows.length > 0 ? ["Rows counted afterwards", rowsTable(rows)] : []),
    verdict(metrics),
    describe(machine),
  ].join("\n\n");
}

function verdict(metrics: readonly Metric[]): string {
  const slower = surelySlower(metrics);
  if (slower.length > 0) {
    return slower
      .map(({ name, surelyWorse }) => `SLOWER: ${name} is worse by at least ${percent(surelyWorse)}`)
      .join("\n");
  }
  const unsure = metrics.filter(({ judged, perhapsWorse }) => judged && perhapsWorse > tolerated);
  return [
    `Not surely slower by more than ${percent(tolerated)}`,
    ...unsure.map(({ name, perhapsWorse }) => {
      return `${name} may be worse by ${percent(perhapsWorse)}: a longer run (--seconds) narrows the interval`;
    }),
  ].join("\n");
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
