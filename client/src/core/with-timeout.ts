import { AbortError, type IntakeError, TimeoutError } from "./errors.ts";
import type { Signal } from "./web-types.ts";

/**
 * Runs `work` and settles when it is done, when `ms` milliseconds have passed ({@link TimeoutError}) or when `signal` is
 * aborted ({@link AbortError}), whichever comes first. `work` is given a signal that is aborted in the last two cases.
 * Leaves no listener and no timer behind.
 */
export function withTimeout<T>(
  ms: number,
  signal: Signal | undefined,
  work: (signal: Signal) => Promise<T> | undefined,
): Promise<T> {
  const controller = new AbortController();
  let giveUp = (_: IntakeError) => {};
  const abort = () => giveUp(new AbortError("Aborted."));
  // A timer of more than 2^31 - 1 ms fires at once.
  const timer = setTimeout(() => giveUp(new TimeoutError(`No answer within ${ms} ms.`)), Math.min(ms, 2 ** 31 - 1));
  return new Promise<T>((resolve, reject) => {
    giveUp = (error) => {
      reject(error);
      controller.abort();
    };
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort();
    else work(controller.signal)?.then(resolve, reject);
  }).finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  });
}

/** Waits `ms` milliseconds. Throws {@link AbortError} as soon as `signal` is aborted. */
export async function pause(ms: number, signal?: Signal): Promise<void> {
  await withTimeout(ms, signal, () => undefined).catch((error: IntakeError) => {
    if (error.name !== "TimeoutError") throw error;
  });
}
