import type { BenchOptions } from "../options.ts";
import { prepare } from "../prepare.ts";
import { connections } from "../wrk.ts";
import { compareBigTable } from "./big-table.ts";
import { budgetsOf } from "./budgets.ts";
import { compare } from "./compare.ts";
import { present } from "./report.ts";
import { measureStarts } from "./starts.ts";

/** False when rows do not agree with answers. */
export async function benchTickets({ rounds, seconds, rows, json }: BenchOptions): Promise<boolean> {
  const { machine, binary, withRivals, leftOut } = await prepare();
  const comparison = await compare(binary, withRivals, { rounds, seconds });
  const starts = await measureStarts(binary, withRivals);
  const bigTable = await compareBigTable(binary, { rows, rounds, seconds });
  const parts = { machine, settings: { rounds, seconds, connections }, comparison, starts, bigTable, leftOut };
  const report = { ...parts, budgets: budgetsOf(parts) };
  process.stdout.write(`${json ? JSON.stringify(report) : present(report)}\n`);
  return [...comparison.rows, ...bigTable.rows].every(({ right }) => right);
}
