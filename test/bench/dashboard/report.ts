import type { Budget } from "../budget.ts";
import type { Machine } from "../machine.ts";
import { budgetsTable, describe, megabytes } from "../report-tables.ts";
import type { StartTime } from "../start-time.ts";
import { table } from "../table.ts";
import type { Board } from "./board.ts";
import type { Crowd } from "./crowd.ts";
import type { Filters } from "./filters.ts";
import type { FirstPage } from "./first-page.ts";
import type { Paging } from "./paging.ts";
import type { Reports } from "./reports.ts";
import type { Scrolling } from "./scroll.ts";

/** Only what was asked for. */
export interface Results {
  board?: Board;
  reports?: Reports;
  filters?: Filters;
  crowd?: Crowd;
  start?: StartTime;
}

interface Report extends Results {
  machine: Machine;
  settings: { rounds: number; seconds: number };
  budgets: Budget[];
  /** What was left out, and why. */
  leftOut: string[];
}

export function present({
  machine,
  settings,
  board,
  reports,
  filters,
  crowd,
  start,
  budgets,
  leftOut,
}: Report): string {
  const sections = ["Dashboard, in headless Chromium without a graphics processor", ...leftOut];
  if (board) {
    sections.push(`A board of ${board.cards} cards opens; medians`, firstPageTable(board.firstPage));
  }
  const scrolled = [board?.scrolling, reports?.scrolling].filter((one) => one !== undefined);
  if (scrolled.length > 0) sections.push(`Scrolling for ${settings.seconds} s`, scrollTable(scrolled));
  const paged = [...(board ? [board.paging] : []), ...(reports?.paging ?? [])];
  if (paged.length > 0) sections.push("Fetched while one scrolls, milliseconds", pagingTable(paged));
  if (filters) sections.push(...filterLines(filters));
  if (board) sections.push(liveLines(board));
  if (crowd) {
    const title = `Tickets beside open pages, median of ${settings.rounds} alternating rounds of ${settings.seconds} s`;
    sections.push(title, crowdTable(crowd), quietLine(crowd));
  }
  if (start) {
    sections.push(`Starts in ${start.startMilliseconds.toFixed(1)} ms and idles at ${megabytes(start.idleBytes)} MB`);
  }
  sections.push("Budgets", budgetsTable(budgets), describe(machine));
  return sections.join("\n\n");
}

function firstPageTable(all: readonly FirstPage[]): string {
  return table(
    ["", "paint ms", "usable ms", "requests", "found late", "script kB", "style kB"],
    all.map((one) => [
      one.name,
      one.paint.toFixed(0),
      one.usable.toFixed(0),
      String(one.requests),
      String(one.foundLate),
      (one.scriptBytes / 1000).toFixed(1),
      (one.styleBytes / 1000).toFixed(1),
    ]),
  );
}

function scrollTable(all: readonly Scrolling[]): string {
  return table(
    ["", "frames/s", "a beat late %", "longest ms", "work ms/frame", "mounted"],
    all.map((one) => [
      one.name,
      one.framesPerSecond.toFixed(1),
      (one.late * 100).toFixed(1),
      one.longestMilliseconds.toFixed(1),
      one.workMilliseconds.toFixed(1),
      String(one.mounted),
    ]),
  );
}

function pagingTable(all: readonly Paging[]): string {
  return table(
    ["", "pages", "p50", "p95"],
    all.map(({ name, pages, p50Milliseconds, p95Milliseconds }) => [
      name,
      String(pages),
      p50Milliseconds.toFixed(1),
      p95Milliseconds.toFixed(1),
    ]),
  );
}

const slowestShown = 12;

function filterLines({ reports, all }: Filters): string[] {
  const slowest = [...all].sort((a, b) => b.p50Milliseconds - a.p50Milliseconds).slice(0, slowestShown);
  return [
    `The first page of a list of ${reports} reports, for ${all.length} filters and ranges; the slowest, milliseconds`,
    table(
      ["", "found", "p50", "p95"],
      slowest.map(({ query, found, p50Milliseconds, p95Milliseconds }) => [
        query,
        String(found),
        p50Milliseconds.toFixed(1),
        p95Milliseconds.toFixed(1),
      ]),
    ),
  ];
}

function liveLines({ arriving, heap }: Board): string {
  const { tickets, p50Milliseconds, p95Milliseconds } = arriving;
  const sizes = heap.bytes.map(megabytes).join(", ");
  return [
    `A ticket stands on an open board ${p50Milliseconds.toFixed(0)} ms after it was sent, p95 ${p95Milliseconds.toFixed(0)} ms (${tickets} tickets)`,
    `Memory of that page over ${heap.seconds} s with ${heap.ticketsPerSecond} tickets/s, collected: ${sizes} MB`,
  ].join("\n");
}

function crowdTable({ loads }: Crowd): string {
  return table(
    ["", "tickets/s", "to none", "p99 ms", "CPU µs/ticket", "RSS MB"],
    loads.map((one) => [
      one.name,
      one.perSecond.toFixed(0),
      one.toNone.toFixed(2),
      one.p99Milliseconds.toFixed(1),
      one.cpuMicrosecondsPerTicket.toFixed(0),
      megabytes(one.residentBytes),
    ]),
  );
}

function quietLine({ quietBytes: { none, listening } }: Crowd): string {
  return `Memory of the server after a sign-in: ${megabytes(none)} MB, with the pages open ${megabytes(listening)} MB`;
}
