import { describe, expect, test } from "bun:test";
import { bucketWords, labelsOf } from "./axis.ts";
import { graveSeries, levelSeries } from "./levels.ts";
import { draw, type Series, totalsOf } from "./stacks.ts";

const series: Series[] = [
  { name: "fatal", tone: "err", counts: [1, 0, 3] },
  { name: "error", tone: "err-soft", counts: [1, 0, 1] },
];

describe("stacked bars", () => {
  test("stand upon each other, to a round number", () => {
    const { paths, top } = draw(series, 3);
    expect(top).toBe(4);
    expect(paths.map(({ name }) => name)).toEqual(["fatal", "error"]);
    // Of three bars the middle one has nothing, and is not drawn.
    expect(paths[0]?.d).toBe("M33.33 100V75h266.67V100zM700 100V25h266.67V100z");
    expect(paths[1]?.d).toBe("M33.33 75V50h266.67V75zM700 25V0h266.67V25z");
  });

  test("are empty without counts", () => {
    expect(draw([{ name: "a", tone: "accent", counts: [0, 0] }], 2).paths[0]?.d).toBe("");
    expect(draw([], 0)).toEqual({ paths: [], top: 1 });
    expect(totalsOf(series, 3)).toEqual([2, 0, 4]);
  });

  test("of little room have the grave levels, one for all others, and the repeats on top", () => {
    const all = levelSeries(
      [
        { level: "fatal", counts: [1] },
        { level: "warning", counts: [2] },
        { level: "none", counts: [3] },
      ],
      [4],
    );
    expect(graveSeries(all, 1)).toEqual([
      { name: "fatal", tone: "err", counts: [1] },
      { name: "other levels", tone: "accent", counts: [5] },
      { name: "repeats", tone: "faint", counts: [4] },
    ]);
  });
});

describe("the axis", () => {
  const hours = Array.from({ length: 24 }, (_, i) => new Date(Date.UTC(2026, 0, 1, i)).toISOString());

  test("has a few hours and the end", () => {
    const until = "2026-01-02T00:00:00.000Z";
    expect(labelsOf(hours, 3_600, until, Date.parse(until))).toEqual([
      ...["00:00", "04:00", "08:00", "12:00", "16:00", "20:00"],
      "now",
    ]);
    expect(labelsOf(hours, 3_600, until, Date.parse(until) + 86_400_000).at(-1)).toBe("00:00");
  });

  test("has days where hours say nothing", () => {
    const days = hours.slice(0, 3).map((_, i) => new Date(Date.UTC(2026, 0, 1 + i)).toISOString());
    expect(labelsOf(days, 86_400, "2026-01-04T00:00:00.000Z", Date.parse("2026-01-04T00:00:00.000Z"))[0]).toStartWith(
      "1 Jan",
    );
    expect(bucketWords("2026-01-01T14:00:00.000Z", 3_600)).toEndWith("14:00–15:00");
  });
});
