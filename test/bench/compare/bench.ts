import { prepareMachine } from "../prepare.ts";
import { progress } from "../progress.ts";
import type { RowCount } from "../row-count.ts";
import { requireWrk } from "../wrk.ts";
import { binaryOf, type Sides } from "./binaries.ts";
import { measureIdlePairs } from "./idle-pairs.ts";
import { measureLoadPairs } from "./load-pairs.ts";
import type { CompareOptions } from "./options.ts";
import { present } from "./report.ts";
import { metricOf, type Pairs, surelySlower } from "./verdict.ts";
import { works } from "./works.ts";

/** False when the new one is surely slower by more than is tolerated, or rows do not agree with answers. */
export async function benchCompare({ work, seconds, json }: CompareOptions, sides: Sides): Promise<boolean> {
  const { machine, leftOut } = await prepareMachine();
  if (work !== "idle") await requireWrk();
  const binaries = { old: await binaryOf(sides.old), new: await binaryOf(sides.new) };
  progress(`comparing ${work} for ${seconds} s`);
  const { pairs, rows } = await measure(work, binaries, seconds);
  const metrics = pairs.map(metricOf);
  const slower = surelySlower(metrics).map(({ name }) => name);
  const count = pairs[0]?.pairs.length ?? 0;
  const named = { work: works[work].summary, old: sides.old.name, new: sides.new.name };
  const report = { machine, ...named, count, metrics, rows, slower, leftOut };
  process.stdout.write(`${json ? JSON.stringify(report) : present(report)}\n`);
  return slower.length === 0 && rows.every(({ right }) => right);
}

async function measure(
  work: CompareOptions["work"],
  binaries: { old: string; new: string },
  seconds: number,
): Promise<{ pairs: Pairs[]; rows: RowCount[] }> {
  const { prepare } = works[work];
  if (prepare) return measureLoadPairs(binaries, prepare(), seconds);
  return { pairs: await measureIdlePairs(binaries, seconds), rows: [] };
}
