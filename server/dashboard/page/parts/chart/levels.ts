import { type Series, totalsOf } from "./stacks.ts";

const tones: Record<string, string> = { fatal: "e", error: "r", warning: "w", info: "n", debug: "g", none: "a" };

/** Reports by level, the gravest at the bottom, and upon them what was received again. */
export function levelSeries(
  levels: readonly { level: string; counts: readonly number[] }[],
  repeats: readonly number[],
): Series[] {
  return [
    ...levels.map(({ level, counts }) => ({
      name: level === "none" ? "no level" : level,
      tone: tones[level] ?? "a",
      counts,
    })),
    { name: "repeats", tone: "b", counts: repeats },
  ];
}

/** For little room: the grave levels, all others as one, and the repeats. */
export function graveSeries(series: readonly Series[], length: number): Series[] {
  const others = series.filter(({ tone }) => !grave.has(tone));
  const kept = series.filter(({ tone }) => grave.has(tone));
  const other: Series = { name: "other levels", tone: "a", counts: totalsOf(others, length) };
  return [...kept.slice(0, -1), other, ...kept.slice(-1)];
}

const grave: ReadonlySet<string> = new Set(["e", "r", "b"]);
