import { freshInstallation } from "../intake.ts";
import type { BenchOptions } from "../options.ts";
import { prepareBinary } from "../prepare.ts";
import { progress } from "../progress.ts";
import { removeFolder } from "../scratch.ts";
import { measureStart, type StartTime } from "../start-time.ts";
import { requireWrk } from "../wrk.ts";
import { measureBoard } from "./board.ts";
import { budgetsOf } from "./budgets.ts";
import { measureCrowd } from "./crowd.ts";
import { measureFilters } from "./filters.ts";
import { present, type Results } from "./report.ts";
import { measureReports } from "./reports.ts";

export const dashboardParts = ["board", "reports", "filters", "crowd", "start"] as const;

/** Always true: nothing here is acknowledged that could be lost. */
export async function benchDashboard({ rounds, seconds, rows, json, parts, print }: BenchOptions): Promise<boolean> {
  const { machine, binary, leftOut } = await prepareBinary();
  const wanted = (part: (typeof dashboardParts)[number]) => parts.includes(part);
  const results: Results = {};
  if (wanted("board")) results.board = await measureBoard(binary, { seconds });
  if (wanted("reports")) results.reports = await measureReports(binary, { rows, seconds });
  if (wanted("filters")) results.filters = await measureFilters(binary, { rows });
  if (wanted("crowd")) {
    await requireWrk();
    results.crowd = await measureCrowd(binary, { rounds, seconds });
  }
  if (wanted("start")) results.start = await startOf(binary);
  const report = { machine, settings: { rounds, seconds }, ...results, budgets: budgetsOf(results), leftOut };
  print(json ? JSON.stringify(report) : present(report));
  return true;
}

async function startOf(binary: string): Promise<StartTime> {
  progress("start time and idle memory");
  const installation = await freshInstallation(binary);
  const start = await measureStart(installation.serve, installation.log);
  removeFolder(installation.folder);
  return start;
}
