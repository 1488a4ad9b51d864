import { atLeast, atMost, type Budget, below, budget, megabyte, ratio } from "../budget.ts";
import { median } from "../median.ts";
import type { ScenarioName } from "./paced.ts";
import type { Results } from "./report.ts";

/** Deliveries of a tenth of a second at 500 reports a second to five. */
const backlogMax = 250;

/** What the design promises for webhooks, as far as it was measured. */
export function budgetsOf({ paced, idle, backlog }: Results): Budget[] {
  const budgets: Budget[] = [];
  if (paced) {
    const of = (scenario: ScenarioName) => paced.find((one) => one.scenario === scenario);
    const [five, hangs, fails] = [of("five"), of("hangs"), of("fails")];
    const peak = Math.max(...paced.map(({ peakBytes }) => peakBytes));
    budgets.push(
      budget("paced: p95 from 200 to first POST", atMost(100), "ms", five?.p95Milliseconds),
      budget("paced: deliveries behind at the end", atMost(backlogMax), "", five?.backlog),
      budget("paced: p95 beside one that hangs", below(1.2), "×", ratio(hangs?.p95Milliseconds, five?.p95Milliseconds)),
      budget("paced: p95 beside one that fails", below(1.2), "×", ratio(fails?.p95Milliseconds, five?.p95Milliseconds)),
      budget("paced: peak RSS", atMost(150), "MB", peak / megabyte),
    );
  }
  if (idle) budgets.push(budget("idle: CPU of one core", below(1), "%", idle.cpuPercent));
  if (backlog) {
    const { claims, paused, drain } = backlog;
    const [few, many] = claims;
    const steady = Math.min(...drain.rates) / median(drain.rates);
    budgets.push(
      budget("backlog: median claim against one of few", atMost(2), "×", many.p50Milliseconds / few.p50Milliseconds),
      budget("backlog: idle CPU of one core", below(1), "%", paused.cpuPercent),
      budget("backlog: slowest span against the median", atLeast(0.8), "×", steady),
      budget("backlog: p95 at one without backlog", atMost(100), "ms", drain.liveP95Milliseconds),
      budget("backlog: peak RSS", atMost(150), "MB", drain.peakBytes / megabyte),
    );
  }
  return budgets;
}
