import type { Budget } from "../budget.ts";
import type { Machine } from "../machine.ts";
import { budgetsTable, describe, megabytes, rowsTable } from "../report-tables.ts";
import type { RowCount } from "../row-count.ts";
import { table } from "../table.ts";
import type { Backlog } from "./backlog.ts";
import { livePerSecond } from "./drain.ts";
import type { Idle } from "./idle.ts";
import { type Paced, perSecond, warmUpSeconds } from "./paced.ts";
import { healthy } from "./receiving.ts";

/** Only what was asked for. */
export interface Results {
  paced?: Paced[];
  idle?: Idle;
  backlog?: Backlog;
}

interface Report extends Results {
  machine: Machine;
  settings: { rounds: number; seconds: number };
  rows: RowCount[];
  budgets: Budget[];
  /** What was left out, and why. */
  leftOut: string[];
}

export function present({ machine, settings, paced, idle, backlog, rows, budgets, leftOut }: Report): string {
  const { rounds, seconds } = settings;
  const sections = [`Webhooks to ${healthy.length} subscribers`, ...leftOut];
  if (paced) {
    const title = `Paced: ${perSecond} reports/s, median of ${rounds} interleaved rounds of ${seconds} s after ${warmUpSeconds} s; milliseconds from the 200 to the first POST at those that accept`;
    sections.push(title, pacedTable(paced), "Rows counted afterwards", rowsTable(rows));
  }
  const idles = [...(idle ? [idle] : []), ...(backlog ? [backlog.paused] : [])];
  if (idles.length > 0) sections.push("Idle for 20 s", idleTable(idles));
  if (backlog) sections.push(...backlogSections(backlog));
  sections.push("Budgets", budgetsTable(budgets), describe(machine));
  return sections.join("\n\n");
}

function pacedTable(paced: readonly Paced[]): string {
  return table(
    ["", "reports/s", "answer p99", "p50", "p95", "p99", "behind", "repeats", "CPU µs/delivery", "peak RSS MB"],
    paced.map((one) => [
      one.name,
      one.reportsPerSecond.toFixed(0),
      one.answerP99Milliseconds.toFixed(1),
      one.p50Milliseconds.toFixed(1),
      one.p95Milliseconds.toFixed(1),
      one.p99Milliseconds.toFixed(1),
      String(one.backlog),
      String(one.repeats),
      one.cpuMicrosecondsPerDelivery.toFixed(0),
      megabytes(one.peakBytes),
    ]),
  );
}

function idleTable(idles: readonly Idle[]): string {
  return table(
    ["", "CPU %", "RSS MB"],
    idles.map(({ name, cpuPercent, residentBytes }) => [name, cpuPercent.toFixed(2), megabytes(residentBytes)]),
  );
}

function backlogSections({ waiting, claims, drain, bare }: Backlog): string[] {
  const { spanSeconds, rates, liveP95Milliseconds, peakBytes } = drain;
  return [
    "Claims, synced; milliseconds",
    table(
      ["deliveries waiting", "p50", "p95"],
      claims.map((one) => [String(one.waiting), one.p50Milliseconds.toFixed(2), one.p95Milliseconds.toFixed(2)]),
    ),
    [
      `Backlog of ${waiting}: deliveries/s in spans of ${spanSeconds} s: ${rates.map((rate) => rate.toFixed(0)).join(", ")}`,
      `Meanwhile ${livePerSecond} reports/s to one without backlog: p95 ${liveP95Milliseconds.toFixed(1)} ms; peak RSS ${megabytes(peakBytes)} MB`,
    ].join("\n"),
    table(
      ["", "posts/s", "to bare", "CPU µs/post"],
      [drain, bare].map((one) => [
        one.name,
        one.perSecond.toFixed(0),
        (one.perSecond / bare.perSecond).toFixed(2),
        one.cpuMicrosecondsPerPost.toFixed(0),
      ]),
    ),
  ];
}
