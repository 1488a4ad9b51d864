import type { Machine } from "../machine.ts";
import { describe, megabytes } from "../report-tables.ts";
import { table } from "../table.ts";

export const works = ["tickets", "reports"] as const;
export type Works = (typeof works)[number];

export interface Calls {
  runtime: string;
  work: Works;
  name: string;
  perSecond: number;
  cpuMicroseconds: number;
}

export interface QueueMemory {
  runtime: string;
  queued: number;
  dropped: number;
  bytes: number;
}

interface Report {
  machine: Machine;
  settings: { rounds: number; seconds: number; atOnce: number };
  calls: readonly Calls[];
  queues: readonly QueueMemory[];
}

const titles: Record<Works, string> = {
  tickets: "tickets.create",
  reports: "reports.submit, 3 kB envelope packed by gzip, 2 kB attachment",
};

export function present({ machine, settings, calls, queues }: Report): string {
  const groups = queues.flatMap(({ runtime }) =>
    works.map((work) => {
      const ours = calls.filter((one) => one.runtime === runtime && one.work === work);
      return `${runtime}: ${titles[work]}\n\n${callsTable(ours)}`;
    }),
  );
  return [
    describe(machine),
    `${settings.rounds} rounds of ${settings.seconds} s, ${settings.atOnce} calls at once, against a server that answers at once and stores nothing.`,
    ...groups,
    `A queue at its bound, offline, after 5,010 captures of 60 kB each\n\n${queueTable(queues)}`,
  ].join("\n\n");
}

function callsTable(calls: readonly Calls[]): string {
  const [bare] = calls;
  return table(
    ["", "calls/s", "× bare", "CPU µs/call", "more than bare"],
    calls.map(({ name, perSecond, cpuMicroseconds }) => [
      name,
      perSecond.toFixed(0),
      (perSecond / (bare?.perSecond ?? Number.NaN)).toFixed(2),
      cpuMicroseconds.toFixed(0),
      (cpuMicroseconds - (bare?.cpuMicroseconds ?? Number.NaN)).toFixed(0),
    ]),
  );
}

function queueTable(queues: readonly QueueMemory[]): string {
  return table(
    ["", "queued", "dropped", "RSS MB more"],
    queues.map(({ runtime, queued, dropped, bytes }) => [runtime, String(queued), String(dropped), megabytes(bytes)]),
  );
}
