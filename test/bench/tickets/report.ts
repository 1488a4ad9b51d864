import type { Budget } from "../budget.ts";
import type { Machine } from "../machine.ts";
import { names } from "../names.ts";
import { budgetsTable, describe, loadTable, megabytes, rowsTable } from "../report-tables.ts";
import { table } from "../table.ts";
import type { BigTable } from "./big-table.ts";
import type { Comparison } from "./compare.ts";
import type { NamedStart } from "./starts.ts";

export interface Report {
  machine: Machine;
  settings: { rounds: number; seconds: number; connections: number };
  comparison: Comparison;
  starts: NamedStart[];
  bigTable: BigTable;
  budgets: Budget[];
  /** What was left out, and why. */
  leftOut: string[];
}

export function present(report: Report): string {
  const { machine, settings, comparison, starts, bigTable, budgets, leftOut } = report;
  const bare = comparison.measured.find(({ name }) => name === names.bare);
  const { rounds, seconds, connections } = settings;
  return [
    `POST /api/v1/tickets, ${connections} connections, median of ${rounds} interleaved rounds of ${seconds} s`,
    loadTable(comparison.measured, bare, "to bare"),
    ...leftOut,
    "Rows counted afterwards",
    rowsTable([...comparison.rows, ...bigTable.rows]),
    "Start to the first 200 on /livez (median of 10), memory after 5 s without work",
    table(
      ["", "start ms", "idle RSS MB"],
      starts.map(({ name, startMilliseconds, idleBytes }) => [
        name,
        startMilliseconds.toFixed(1),
        megabytes(idleBytes),
      ]),
    ),
    `The same server on an empty database and with ${bigTable.tickets} tickets stored`,
    loadTable([bigTable.empty, bigTable.full], bigTable.empty, "to empty"),
    `Largest write-ahead log: ${megabytes(Math.max(comparison.logBytes, bigTable.logBytes))} MB`,
    "Budgets",
    budgetsTable(budgets),
    describe(machine),
  ].join("\n\n");
}
