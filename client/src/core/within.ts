import { AbortError, type IntakeError, TimeoutError } from "./errors.ts";
import type { Signal } from "./web.ts";

/**
 * Does `work` until it is done, `ms` have passed or `signal` is aborted, whichever comes first; no listener and no timer
 * stays behind. `work` gets a signal of its own that tells it to stop. Throws {@link TimeoutError}, {@link AbortError}.
 */
export function within<T>(
  ms: number,
  signal: Signal | undefined,
  work: (signal: Signal) => Promise<T> | undefined,
): Promise<T> {
  const controller = new AbortController();
  let giveUp = (_: IntakeError) => {};
  const abort = () => giveUp(new AbortError("Aborted."));
  // Longer than this a timer fires at once.
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

/** Waits; ends at once when `signal` is aborted, with {@link AbortError}. */
export async function pause(ms: number, signal?: Signal): Promise<void> {
  await within(ms, signal, () => undefined).catch((error: IntakeError) => {
    if (error.name !== "TimeoutError") throw error;
  });
}
