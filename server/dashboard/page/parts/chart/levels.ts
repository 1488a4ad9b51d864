import { type Series, type Tone, totalsOf } from "./stacks.ts";

const tones: Record<string, Tone> = {
  fatal: "err",
  error: "err-soft",
  warning: "warn",
  info: "info",
  debug: "grey",
  none: "accent",
};

/** The series of reports by level, the most severe at the bottom, and the repeats above them. */
export function levelSeries(
  levels: readonly { level: string; counts: readonly number[] }[],
  repeats: readonly number[],
): Series[] {
  return [
    ...levels.map(({ level, counts }) => ({
      name: level === "none" ? "no level" : level,
      tone: tones[level] ?? "accent",
      counts,
    })),
    { name: "repeats", tone: "faint", counts: repeats },
  ];
}

/** Fewer series for little room: the severe levels, all other levels as one, and the repeats. */
export function graveSeries(series: readonly Series[], length: number): Series[] {
  const others = series.filter(({ tone }) => !grave.has(tone));
  const kept = series.filter(({ tone }) => grave.has(tone));
  const other: Series = { name: "other levels", tone: "accent", counts: totalsOf(others, length) };
  return [...kept.slice(0, -1), other, ...kept.slice(-1)];
}

const grave: ReadonlySet<Tone> = new Set<Tone>(["err", "err-soft", "faint"]);
