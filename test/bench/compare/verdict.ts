import { median } from "../median.ts";
import { type RatioInterval, ratioInterval } from "./ratio-interval.ts";

/** What was measured of both in each pair. */
export interface Pairs {
  name: string;
  digits: number;
  better: "higher" | "lower";
  /** Whether a sure loss makes the command fail. */
  judged: boolean;
  pairs: readonly { old: number; new: number }[];
}

export interface Metric extends RatioInterval {
  name: string;
  digits: number;
  judged: boolean;
  pairs: Pairs["pairs"];
  /** Medians of the pairs. */
  old: number;
  new: number;
  /** By which share it is surely worse, as the near end of the interval says; 0 or less: not surely. */
  surelyWorse: number;
  /** By which share it may be worse, as the far end says. */
  perhapsWorse: number;
}

/** A loss above this share is not taken. */
export const tolerated = 0.03;

export function metricOf({ name, digits, better, judged, pairs }: Pairs): Metric {
  const interval = ratioInterval(pairs);
  const { low, high } = interval;
  return {
    name,
    digits,
    judged,
    pairs,
    ...interval,
    old: median(pairs.map((pair) => pair.old)),
    new: median(pairs.map((pair) => pair.new)),
    surelyWorse: better === "higher" ? 1 - high : low - 1,
    perhapsWorse: better === "higher" ? 1 - low : high - 1,
  };
}

/** The judged metrics whose whole interval lies beyond the tolerated loss. */
export function surelySlower(metrics: readonly Metric[]): Metric[] {
  return metrics.filter(({ judged, surelyWorse }) => judged && surelyWorse > tolerated);
}
