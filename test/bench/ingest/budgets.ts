import { atLeast, atMost, type Budget, below, budget, megabyte, ratio } from "../budget.ts";
import { names } from "../names.ts";
import type { Comparison } from "./compare.ts";
import type { Results } from "./report.ts";
import { uploadCounts } from "./uploads.ts";

const uploadPeaks: Record<(typeof uploadCounts)[number], number> = { 16: 120, 32: 200 };

/** What the design promises for reports, as far as it was measured. */
export function budgetsOf({ small, attachment, megabyte: megabyteLoad, uploads, bombs, full }: Results): Budget[] {
  const budgets: Budget[] = [];
  if (small) {
    const { toBare, p99 } = relative(small);
    budgets.push(budget("small: requests/s against the bare server", atLeast(1.2), "×", toBare));
    budgets.push(budget("small: p99", atMost(25), "ms", p99));
  }
  for (const [part, comparison, least] of [
    ["attachment", attachment, 0.9],
    ["megabyte", megabyteLoad, 1],
  ] as const) {
    if (!comparison) continue;
    const { toBare, p99ToBare } = relative(comparison);
    budgets.push(budget(`${part}: requests/s against the bare server`, atLeast(least), "×", toBare));
    budgets.push(budget(`${part}: p99 against the bare server`, atMost(1), "×", p99ToBare));
  }
  if (uploads) {
    for (const count of uploadCounts) {
      const found = uploads.find((one) => one.name === names.intake && one.uploads === count);
      const peak = found && found.peakBytes / megabyte;
      budgets.push(budget(`uploads: peak RSS of ${count} at once`, atMost(uploadPeaks[count]), "MB", peak));
    }
  }
  if (bombs) {
    budgets.push(budget("bombs: growth of RSS", below(100), "MB", bombs.growthBytes / megabyte));
    budgets.push(budget("bombs: p99 of reports beside them", below(50), "ms", bombs.beside.p99Milliseconds));
  }
  for (const { version, ratio } of full?.byIdVersion ?? []) {
    const work = `full: requests/s with ${full?.events} events, report ids of version ${version}`;
    budgets.push(budget(work, atLeast(0.9), "×", ratio));
  }
  return budgets;
}

function relative({ measured }: Comparison) {
  const found = (name: string) => measured.find((one) => one.name === name);
  const [intake, bare] = [found(names.intake), found(names.bare)];
  return {
    toBare: ratio(intake?.requestsPerSecond, bare?.requestsPerSecond),
    p99: intake?.p99Milliseconds,
    p99ToBare: ratio(intake?.p99Milliseconds, bare?.p99Milliseconds),
  };
}
