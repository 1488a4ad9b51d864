import { describeMachine } from "../machine.ts";
import type { BenchOptions } from "../options.ts";
import { progress } from "../progress.ts";
import { connections, requireWrk } from "../wrk.ts";
import { compareBigTable } from "./big-table.ts";
import { budgetsOf } from "./budgets.ts";
import { compare } from "./compare.ts";
import { intakeBinary } from "./intake.ts";
import { present } from "./report.ts";
import { installRivals } from "./rivals.ts";
import { measureStarts } from "./starts.ts";

/** False when rows do not agree with answers. */
export async function benchTickets({ rounds, seconds, rows, json }: BenchOptions): Promise<boolean> {
  if (process.platform !== "linux") throw new Error("this bench reads /proc, so it runs on Linux only");
  await requireWrk();
  const machine = await describeMachine();
  const leftOut: string[] = [];
  if (/^(tmpfs|ramfs)$/.test(machine.filesystem)) {
    leftOut.push("The temporary folder is in memory, where durable costs nothing: set TMPDIR to a folder on a disk");
  }
  const missing = await installRivals();
  if (missing !== undefined) leftOut.push(missing);
  for (const line of leftOut) progress(line);

  const binary = await intakeBinary();
  const comparison = await compare(binary, missing === undefined, { rounds, seconds });
  const starts = await measureStarts(binary, missing === undefined);
  const bigTable = await compareBigTable(binary, { rows, rounds, seconds });
  const parts = { machine, settings: { rounds, seconds, connections }, comparison, starts, bigTable, leftOut };
  const report = { ...parts, budgets: budgetsOf(parts) };
  process.stdout.write(`${json ? JSON.stringify(report) : present(report)}\n`);
  return [...comparison.rows, ...bigTable.rows].every(({ right }) => right);
}
