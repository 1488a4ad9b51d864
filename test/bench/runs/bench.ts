import { atMost, type Budget, budget, ratio } from "../budget.ts";
import type { BenchOptions } from "../options.ts";
import { prepareBinary } from "../prepare.ts";
import { budgetsTable, describe } from "../report-tables.ts";
import { table } from "../table.ts";
import { type Claims, measureClaims, queuedRuns, runners } from "./claims.ts";

/** False when a run was not given, or given twice. */
export async function benchRuns({ rows, json, print }: BenchOptions): Promise<boolean> {
  const { machine, binary, leftOut } = await prepareBinary();
  const few = await measureClaims(binary, 0);
  const many = await measureClaims(binary, rows);
  const budgets: Budget[] = [
    budget(
      `median claim with ${rows} ended runs against none`,
      atMost(1.5),
      "×",
      ratio(many.p50Milliseconds, few.p50Milliseconds),
    ),
  ];
  const report = { machine, claims: [few, many], budgets, leftOut };
  print(json ? JSON.stringify(report) : present(report));
  return [few, many].every(({ given, claimed }) => given === queuedRuns && claimed === queuedRuns);
}

interface Report {
  machine: Parameters<typeof describe>[0];
  claims: readonly Claims[];
  budgets: readonly Budget[];
  leftOut: readonly string[];
}

function present({ machine, claims, budgets, leftOut }: Report): string {
  return [
    `Claims: ${queuedRuns} queued runs, ${runners} runners that ask without a pause; durable, credits held`,
    ...leftOut,
    table(
      ["ended runs", "claims/s", "p50 ms", "p99 ms", "CPU µs/claim", "given", "rows"],
      claims.map((one) => [
        String(one.endedRuns),
        one.perSecond.toFixed(0),
        one.p50Milliseconds.toFixed(1),
        one.p99Milliseconds.toFixed(1),
        one.cpuMicrosecondsPerClaim.toFixed(0),
        String(one.given),
        String(one.claimed),
      ]),
    ),
    "Budgets",
    budgetsTable(budgets),
    describe(machine),
  ].join("\n\n");
}
