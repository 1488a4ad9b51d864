import { median } from "../median.ts";

export interface RatioInterval {
  /** The new one to the old one. */
  ratio: number;
  /** Of the 95 % interval. */
  low: number;
  high: number;
}

/** Fewer pairs have no 95 % interval: five that all agree are chance in 6 % of cases. */
export const pairsMin = 6;

/** On either side of the interval. */
const chance = 0.025;

/**
 * The ratio of paired measurements, by Wilcoxon's signed ranks: the Hodges-Lehmann estimate of the logarithms and its
 * interval. A pair that another program disturbed moves it little, which a mean with a t interval cannot say.
 */
export function ratioInterval(measured: readonly { old: number; new: number }[]): RatioInterval {
  const n = measured.length;
  if (n < pairsMin) throw new Error(`${n} pairs are too few for an interval, ${pairsMin} are needed`);
  const logs = measured.map((pair) => Math.log(pair.new / pair.old));
  if (!logs.every(Number.isFinite)) throw new Error("a ratio needs numbers above 0");
  // Of every pair of pairs, and of each with itself.
  const means = logs.flatMap((one, i) => logs.slice(i).map((other) => (one + other) / 2)).sort((a, b) => a - b);
  const outside = criticalSum(n);
  return {
    ratio: Math.exp(median(means)),
    low: Math.exp(means[outside] ?? Number.NaN),
    high: Math.exp(means[means.length - 1 - outside] ?? Number.NaN),
  };
}

/** The largest sum of the positive ranks of n pairs that chance stays below often enough. */
function criticalSum(n: number): number {
  // How many of the 2^n choices of signs have each sum.
  const choices = new Float64Array((n * (n + 1)) / 2 + 1);
  choices[0] = 1;
  const of = (sum: number) => choices[sum] ?? 0;
  for (let rank = 1; rank <= n; rank++) {
    for (let sum = choices.length - 1; sum >= rank; sum--) choices[sum] = of(sum) + of(sum - rank);
  }
  let critical = -1;
  for (let likely = of(0); likely <= chance * 2 ** n; likely += of(critical + 1)) critical++;
  return critical;
}
