import type { Budget } from "./budget.ts";
import type { Machine } from "./machine.ts";
import type { Measured } from "./rounds.ts";
import type { RowCount } from "./row-count.ts";
import { table } from "./table.ts";

export function loadTable(measured: readonly Measured[], base: Measured | undefined, ratio: string): string {
  return table(
    ["", "requests/s", ratio, "p50 ms", "p99 ms", "not 2xx", "CPU µs/request", "RSS MB"],
    measured.map((one) => [
      one.name,
      one.requestsPerSecond.toFixed(0),
      base ? (one.requestsPerSecond / base.requestsPerSecond).toFixed(2) : "",
      one.p50Milliseconds.toFixed(2),
      one.p99Milliseconds.toFixed(2),
      String(one.refusals + one.broken),
      one.cpuMicrosecondsPerRequest.toFixed(1),
      megabytes(one.residentBytes),
    ]),
  );
}

export function rowsTable(rows: readonly RowCount[]): string {
  return table(
    ["", "answers", "rows", "", ""],
    rows.map(({ name, answers, rows, right, explanation }) => {
      return [name, String(answers), String(rows), right ? "ok" : "WRONG", explanation];
    }),
  );
}

export function budgetsTable(budgets: readonly Budget[]): string {
  return table(
    ["", "wanted", "measured", ""],
    budgets.map(({ work, wanted, measured, kept }) => [work, wanted, measured, verdict(kept)]),
  );
}

export function describe({ cpu, cores, memoryBytes, kernel, filesystem, bun, node, sqlite }: Machine): string {
  const memory = `${(memoryBytes / 2 ** 30).toFixed(1)} GiB`;
  return `Machine: ${cpu}, ${cores} cores, ${memory}, ${kernel}, ${filesystem}; Bun ${bun}, Node ${node}, SQLite ${sqlite}`;
}

const verdict = (kept: boolean | undefined) => (kept === undefined ? "-" : kept ? "ok" : "MISSED");
export const megabytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
