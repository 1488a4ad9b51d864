import { expect } from "bun:test";
import { readFileSync } from "node:fs";

/**
 * The result of `work`; fails when it takes longer than this many milliseconds. The timer belongs to the same process
 * as the timers of `work`: on a busy machine both are late, and fire in their order.
 */
export async function inTime<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const late = Symbol(`later than ${milliseconds} ms`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = new Promise<typeof late>((resolve) => {
    timer = setTimeout(resolve, milliseconds, late);
  });
  const first = await Promise.race([work, end]).finally(() => clearTimeout(timer));
  expect(first).not.toBe(late);
  return first as T;
}

/** Milliseconds of processor time of this process, on all threads, which other processes do not influence. */
export function computed(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** As {@link computed}, of another process, in steps of ten milliseconds. */
export function computedBy(pid: number): number {
  // The name of the program stands in brackets, and may contain some itself.
  const [, rest = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(/\) (?=[^)]*$)/);
  const [user, system] = rest.split(" ").slice(11).map(Number);
  return (Number(user) + Number(system)) * 10;
}
