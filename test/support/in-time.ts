import { expect } from "bun:test";

/**
 * What `work` gives; fails when it takes longer than so many milliseconds. The timer is one of the same process as the
 * timers of `work`: on a busy machine both are late, and come in their order.
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

/** Milliseconds that this process has computed, on all threads: a busy machine does not add to them. */
export function computed(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
