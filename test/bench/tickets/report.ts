import type { Machine } from "../machine.ts";
import type { Measured } from "../rounds.ts";
import { table } from "../table.ts";
import type { BigTable } from "./big-table.ts";
import type { Budget } from "./budgets.ts";
import { type Comparison, names } from "./compare.ts";
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
    table(
      ["", "wanted", "measured", ""],
      budgets.map(({ work, wanted, measured, kept }) => [work, wanted, measured, verdict(kept)]),
    ),
    describe(machine),
  ].join("\n\n");
}

function loadTable(measured: readonly Measured[], base: Measured | undefined, ratio: string): string {
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

function rowsTable(rows: Comparison["rows"]): string {
  return table(
    ["", "answers", "rows", "", ""],
    rows.map(({ name, answers, rows, right, explanation }) => {
      return [name, String(answers), String(rows), right ? "ok" : "WRONG", explanation];
    }),
  );
}

function describe({ cpu, cores, memoryBytes, kernel, filesystem, bun, node, sqlite }: Machine): string {
  const memory = `${(memoryBytes / 2 ** 30).toFixed(1)} GiB`;
  return `Machine: ${cpu}, ${cores} cores, ${memory}, ${kernel}, ${filesystem}; Bun ${bun}, Node ${node}, SQLite ${sqlite}`;
}

const verdict = (kept: boolean | undefined) => (kept === undefined ? "-" : kept ? "ok" : "MISSED");
const megabytes = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
