import { above, atLeast, atMost, type Budget, budget, megabyte, ratio } from "../budget.ts";
import { names } from "../names.ts";
import type { Report } from "./report.ts";

/** What the design promises for tickets. */
export function budgetsOf({ comparison, starts, bigTable }: Omit<Report, "budgets">): Budget[] {
  const found = (name: string) => comparison.measured.find((one) => one.name === name);
  const [intake, bare, grouped] = [found(names.intake), found(names.bare), found(names.fastifyGrouped)];
  const toBare = ratio(intake?.requestsPerSecond, bare?.requestsPerSecond);
  const toGrouped = ratio(intake?.requestsPerSecond, grouped?.requestsPerSecond);
  const start = starts.find((one) => one.name === names.intake);
  const log = Math.max(comparison.logBytes, bigTable.logBytes) / megabyte;
  const idle = start && start.idleBytes / megabyte;
  return [
    budget("requests/s against the bare server", atLeast(0.8), "×", toBare),
    budget("p99", atMost(10), "ms", intake?.p99Milliseconds),
    budget("requests/s against Fastify, grouped", above(1), "×", toGrouped),
    budget("start to first 200", atMost(60), "ms", start?.startMilliseconds),
    budget("idle RSS", atMost(60), "MB", idle),
    budget(`requests/s with ${bigTable.tickets} tickets`, atLeast(0.9), "×", bigTable.ratio),
    budget("write-ahead log", atMost(64), "MB", log),
  ];
}
