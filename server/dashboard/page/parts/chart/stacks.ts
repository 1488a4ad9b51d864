import { nice } from "d3-array";
import { stack } from "d3-shape";

/** The colour of a series: a class of the style sheet. */
export type Tone = "accent" | "agent" | "err" | "err-soft" | "faint" | "grey" | "info" | "ok" | "warn";

/** One series of a chart, with its colour. */
export interface Series {
  name: string;
  tone: Tone;
  counts: readonly number[];
}

/** Width and height of the drawing, in its own units; the page decides the size of the picture. */
export const width = 1_000;
export const height = 100;
const gap = 0.2;

interface Drawn {
  /** One path for each series: its bars, stacked on those of the series before. */
  paths: { name: string; tone: Tone; d: string }[];
  /** The value at the top of the drawing. */
  top: number;
}

export function draw(series: readonly Series[], length: number): Drawn {
  const totals = totalsOf(series, length);
  const [, top] = nice(0, Math.max(1, ...totals), 2);
  const step = width / Math.max(1, length);
  const bar = step * (1 - gap);
  const layers = stack<number, number>()
    .keys(series.map((_, i) => i))
    .value((at, key) => series[key]?.counts[at] ?? 0)(Array.from({ length }, (_, i) => i));
  const y = (value: number) => height - (value / top) * height;
  const paths = layers.map((layer) => ({
    name: series[layer.key]?.name ?? "",
    tone: series[layer.key]?.tone ?? "accent",
    d: layer
      .map(([from, to], i) =>
        to > from
          ? `M${short(i * step + (step - bar) / 2)} ${short(y(from))}V${short(y(to))}h${short(bar)}V${short(y(from))}z`
          : "",
      )
      .join(""),
  }));
  return { paths, top };
}

export function totalsOf(series: readonly Series[], length: number): number[] {
  return Array.from({ length }, (_, i) => series.reduce((sum, { counts }) => sum + (counts[i] ?? 0), 0));
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}
