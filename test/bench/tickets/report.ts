import type { Budget } from "../budget.ts";
import type { Machine } from "../machine.ts";
import { names } from "../names.ts";
import { budgetsTable, describe, loadTable, megabytes, rowsTable } from "../report-tables.ts";
import type { RowCount } from "../row-count.ts";
import { table } from "../table.ts";
import type { BigTable } from "./big-table.ts";
import type { Comparison } from "./compare.ts";
import type { NamedStart } from "./starts.ts";
import type { Waiting } from "./waiting.ts";

/** Only what was asked for. */
export interface Results {
  comparison?: Comparison;
  starts?: NamedStart[];
  bigTable?: BigTable;
  waiting?: Waiting;
}

interface Report extends Results {
  machine: Machine;
  settings: { rounds: number; seconds: number; connections: number };
  rows: RowCount[];
  budgets: Budget[];
  /** What was left out, and why. */
  leftOut: string[];
}

export function present(report: Report): string {
  const { machine, settings, comparison, starts, bigTable, waiting, rows, budgets, leftOut } = report;
  const { rounds, seconds, connections } = settings;
  const sections = [
    `POST /api/v1/tickets, ${connections} connections, median of ${rounds} interleaved rounds of ${seconds} s`,
  ];
  if (comparison) {
    const bare = comparison.measured.find(({ name }) => name === names.bare);
    sections.push(loadTable(comparison.measured, bare, "to bare"));
  }
  sections.push(...leftOut);
  if (starts) {
    sections.push(
      "Start to the first 200 on /livez (median of 10), memory after 5 s without work",
      table(
        ["", "start ms", "idle RSS MB"],
        starts.map(({ name, startMilliseconds, idleBytes }) => [
          name,
          startMilliseconds.toFixed(1),
          megabytes(idleBytes),
        ]),
      ),
    );
  }
  if (bigTable) {
    sections.push(
      `The same server on an empty database and with ${bigTable.tickets} tickets stored`,
      loadTable([bigTable.empty, bigTable.full], bigTable.empty, "to empty"),
    );
  }
  if (waiting) {
    sections.push(
      `The same server with ${waiting.cards} tickets, all of them in the search index and none, right after its start`,
      loadTable([waiting.indexed, waiting.unindexed], waiting.indexed, "to indexed"),
    );
  }
  const log = largestLog(report);
  if (log !== undefined) sections.push(`Largest write-ahead log: ${megabytes(log)} MB`);
  if (rows.length > 0) sections.push("Rows counted afterwards", rowsTable(rows));
  sections.push("Budgets", budgetsTable(budgets), describe(machine));
  return sections.join("\n\n");
}

export function largestLog({ comparison, bigTable }: Results): number | undefined {
  const sizes = [comparison, bigTable].flatMap((part) => (part ? [part.logBytes] : []));
  return sizes.length > 0 ? Math.max(...sizes) : undefined;
}
