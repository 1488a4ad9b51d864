import { budgets as sizes } from "../../../server/dashboard/size.ts";
import { atLeast, atMost, type Budget, budget, megabyte } from "../budget.ts";
import type { Heap } from "./heap.ts";
import type { Results } from "./report.ts";

/** What the design promises for the pages, as far as it was measured. */
export function budgetsOf({ board, reports, filters, crowd, start }: Results): Budget[] {
  const budgets: Budget[] = [];
  if (board) {
    const [first] = board.firstPage;
    budgets.push(
      budget("board: scripts, packed", atMost(sizes.script), "kB", first && first.scriptBytes / 1000),
      budget("board: style, packed", atMost(sizes.style), "kB", first && first.styleBytes / 1000),
      budget("board: first paint", atMost(150), "ms", first?.paint),
      budget("board: usable", atMost(300), "ms", first?.usable),
      budget("board: frames a beat late", atMost(1), "%", board.scrolling.late * 100),
      budget("board: mounted cards of a column", atMost(40), "", board.scrolling.mounted),
      budget("board: next cards, p95", atMost(50), "ms", board.paging.p95Milliseconds),
      budget("board: a ticket arrives, p95", atMost(300), "ms", board.arriving.p95Milliseconds),
      budget("board: heap after an hour, extrapolated", atMost(80), "MB", afterAnHour(board.heap) / megabyte),
    );
  }
  if (reports) {
    budgets.push(
      budget("reports: frames a beat late", atMost(1), "%", reports.scrolling.late * 100),
      budget("reports: mounted rows", atMost(60), "", reports.scrolling.mounted),
      ...reports.paging.map(({ name, p95Milliseconds }) =>
        budget(`reports: ${name}, p95`, atMost(50), "ms", p95Milliseconds),
      ),
    );
  }
  if (filters) {
    const slowest = Math.max(...filters.all.map(({ p50Milliseconds }) => p50Milliseconds));
    budgets.push(budget("filters: the slowest, p50", atMost(50), "ms", slowest));
  }
  if (crowd) {
    const listening = crowd.loads.find(({ kind }) => kind === "listening");
    budgets.push(budget("crowd: tickets beside listening pages", atLeast(0.9), "×", listening?.toNone));
  }
  if (start) {
    budgets.push(
      budget("start: to the first answer", atMost(60), "ms", start.startMilliseconds),
      budget("start: idle memory", atMost(60), "MB", start.idleBytes / megabyte),
    );
  }
  return budgets;
}

/** What it grew by since the first span goes on growing; the first one holds what every page makes once. */
function afterAnHour({ bytes, seconds }: Heap): number {
  const [, first = 0] = bytes;
  const last = bytes.at(-1) ?? 0;
  const spans = bytes.length - 2;
  const perSecond = (last - first) / ((seconds / (bytes.length - 1)) * spans);
  return last + Math.max(0, perSecond) * 3_600;
}
