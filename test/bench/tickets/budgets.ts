import { names } from "./compare.ts";
import type { Report } from "./report.ts";

export interface Budget {
  work: string;
  wanted: string;
  /** As people read it; "not measured" without a rival. */
  measured: string;
  kept: boolean | undefined;
}

const megabyte = 2 ** 20;

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
    budget("requests/s against the bare server", "≥ 0.8 ×", toBare, "×", (value) => value >= 0.8),
    budget("p99", "≤ 10 ms", intake?.p99Milliseconds, "ms", (value) => value <= 10),
    budget("requests/s against Fastify, grouped", "> 1 ×", toGrouped, "×", (value) => value > 1),
    budget("start to first 200", "≤ 60 ms", start?.startMilliseconds, "ms", (value) => value <= 60),
    budget("idle RSS", "≤ 60 MB", idle, "MB", (value) => value <= 60),
    budget(`requests/s with ${bigTable.tickets} tickets`, "≥ 0.9 ×", bigTable.ratio, "×", (value) => value >= 0.9),
    budget("write-ahead log", "≤ 64 MB", log, "MB", (value) => value <= 64),
  ];
}

function ratio(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a / b;
}

function budget(
  work: string,
  wanted: string,
  value: number | undefined,
  unit: string,
  keeps: (value: number) => boolean,
): Budget {
  if (value === undefined) return { work, wanted, measured: "not measured", kept: undefined };
  return { work, wanted, measured: `${value.toFixed(unit === "×" ? 2 : 1)} ${unit}`, kept: keeps(value) };
}
