import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import { releaseDate } from "./release-date.ts";

/** The machine's clocks, read at one moment. */
export interface MachineTime {
  /** The clock, in epoch milliseconds. */
  now: number;
  /** Milliseconds since the machine was started, times of sleep included. No change of the clock moves it. */
  uptime: number;
  /** Id of the boot: different after each start of the machine. */
  bootId: string;
}

/** A {@link MachineTime} at which the clock was held to be right. */
export interface ClockMark {
  at: number;
  bootId: string;
  uptime: number;
}

export interface ClockJudgement {
  trusted: boolean;
  /** What the clock would show if no more time had passed than is known. */
  expected: number;
  /** Milliseconds by which the clock is ahead of the expected time; negative when it is behind. */
  unexplained: number;
  /** Milliseconds that are known to have passed since the mark; undefined after another boot, and without a mark. */
  passed?: number | undefined;
}

/** By how much clocks run fast or slow, and a little more: they are slewed by up to 0.05 %, and machines are paused. */
const driftRate = 0.01;

const bootId = readBootId();

export function machineTime(): MachineTime {
  return { now: Date.now(), uptime: uptime() * 1_000, bootId };
}

/**
 * Whether the clock can be right. Within one boot of the machine the time since the mark is known exactly; after
 * another boot it is only known that the release date has passed. What remains unexplained may be as long as `gap`:
 * the machine was off, or its clock was set. With neither a mark nor rows there is nothing to compare with.
 */
export function judgeClock(
  machine: MachineTime,
  { mark, newestRow, gap }: { mark: ClockMark | undefined; newestRow?: number | undefined; gap: number },
): ClockJudgement {
  const passed = mark && passedSince(mark, machine);
  const lastTime = mark ? mark.at + (passed ?? 0) : (newestRow ?? machine.now);
  const expected = Math.max(lastTime, releaseDate);
  const unexplained = machine.now - expected;
  return { trusted: Math.abs(unexplained) <= gap, expected, unexplained, passed };
}

function passedSince(mark: ClockMark, machine: MachineTime): number | undefined {
  return mark.bootId === machine.bootId ? Math.max(0, machine.uptime - mark.uptime) : undefined;
}

/** How much of what is unexplained may be drift of the clock in the time that has passed. */
export function driftOf(unexplained: number, passed: number): number {
  const maxDrift = passed * driftRate;
  return Math.max(-maxDrift, Math.min(maxDrift, unexplained));
}

/** What was found and what follows from it, as a part of a sentence. */
export function clockWords({ expected, unexplained }: Pick<ClockJudgement, "expected" | "unexplained">): string {
  const [shown, last] = [expected + unexplained, expected].map((time) => new Date(time).toISOString());
  const days = Math.abs(unexplained) / 86_400_000;
  const length = days < 2 ? `${Math.round(days * 24)} hours` : `${Math.round(days)} days`;
  const compared = unexplained > 0 ? "later than the last time that is known" : "earlier than a time that has passed";
  return `the clock shows ${shown}, ${length} ${compared} (${last}), so nothing is deleted by age`;
}

export const clockAdvice =
  "If the clock is wrong, set it. If it is right (the machine was off for so long, or an older copy of the data was put back), run: intake clock confirm";

/**
 * The id of the boot. On systems without one (macOS, Windows) a server knows only the time that has passed within its
 * own process.
 */
function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return `process ${crypto.randomUUID()}`;
  }
}
