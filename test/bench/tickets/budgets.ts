import { atLeast, atMost, type Budget, budget, megabyte, ratio } from "../budget.ts";
import { names } from "../names.ts";
import { largestLog, type Results } from "./report.ts";

/** From so many tickets on, the table counts as ten million. */
const hugeRows = 10_000_000;

/** What the design promises for tickets, as far as it was measured. */
export function budgetsOf(results: Results): Budget[] {
  const { comparison, starts, bigTable, waiting } = results;
  const budgets: Budget[] = [];
  if (comparison) {
    const found = (name: string) => comparison.measured.find((one) => one.name === name);
    const [intake, bare, grouped] = [found(names.intake), found(names.bare), found(names.fastifyGrouped)];
    const cpu = ratio(intake?.cpuMicrosecondsPerRequest, bare?.cpuMicrosecondsPerRequest);
    const toBare = ratio(intake?.requestsPerSecond, bare?.requestsPerSecond);
    const p99 = ratio(intake?.p99Milliseconds, bare?.p99Milliseconds);
    const toGrouped = ratio(intake?.requestsPerSecond, grouped?.requestsPerSecond);
    budgets.push(
      budget("CPU per request against the bare server", atMost(1.25), "×", cpu),
      budget("requests/s against the bare server", atLeast(0.85), "×", toBare),
      budget("p99 against the bare server", atMost(1), "×", p99),
      budget("p99", atMost(10), "ms", intake?.p99Milliseconds),
      budget("requests/s against Fastify, grouped", atLeast(1.4), "×", toGrouped),
    );
  }
  if (starts) {
    const start = starts.find((one) => one.name === names.intake);
    budgets.push(budget("start to first 200", atMost(60), "ms", start?.startMilliseconds));
    budgets.push(budget("idle RSS", atMost(60), "MB", start && start.idleBytes / megabyte));
  }
  if (bigTable) {
    const wanted = atLeast(bigTable.tickets >= hugeRows ? 0.85 : 0.9);
    budgets.push(budget(`requests/s with ${bigTable.tickets} tickets`, wanted, "×", bigTable.ratio));
  }
  if (waiting) {
    const p99 = ratio(waiting.unindexed.p99Milliseconds, waiting.indexed.p99Milliseconds);
    budgets.push(budget(`p99 with ${waiting.cards} cards waiting to be indexed`, atMost(1.1), "×", p99));
  }
  const log = largestLog(results);
  if (log !== undefined) budgets.push(budget("write-ahead log", atMost(64), "MB", log / megabyte));
  return budgets;
}
