import type { BenchOptions } from "../options.ts";
import { prepare } from "../prepare.ts";
import { connections } from "../wrk.ts";
import { compareBigTable } from "./big-table.ts";
import { budgetsOf } from "./budgets.ts";
import { compare } from "./compare.ts";
import { present, type Results } from "./report.ts";
import { measureStarts } from "./starts.ts";
import { measureWaiting } from "./waiting.ts";

export const ticketParts = ["load", "start", "full", "waiting"] as const;

/** False when rows do not agree with answers. */
export async function benchTickets({ rounds, seconds, rows, json, parts, print }: BenchOptions): Promise<boolean> {
  const { machine, binary, withRivals, leftOut } = await prepare();
  const wanted = (part: (typeof ticketParts)[number]) => parts.includes(part);
  const options = { rounds, seconds };
  const results: Results = {};
  if (wanted("load")) results.comparison = await compare(binary, withRivals, options);
  if (wanted("start")) results.starts = await measureStarts(binary, withRivals);
  if (wanted("full")) results.bigTable = await compareBigTable(binary, { rows, ...options });
  if (wanted("waiting")) results.waiting = await measureWaiting(binary, options);
  const counted = [results.comparison, results.bigTable, results.waiting].flatMap((part) => part?.rows ?? []);
  const settings = { ...options, connections };
  const report = { machine, settings, ...results, rows: counted, budgets: budgetsOf(results), leftOut };
  print(json ? JSON.stringify(report) : present(report));
  return counted.every(({ right }) => right);
}
