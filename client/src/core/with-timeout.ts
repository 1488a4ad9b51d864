import { AbortError, type IntakeError, TimeoutError } from "./errors.ts";
import type { Signal } from "./web-types.ts";

/** Ends everything that a client has under way. */
export interface Closing {
  readonly signal: Signal;
  /** Set before the signal is aborted: what the calls under way reject with. */
  error?: IntakeError;
}

/**
 * Runs `work` and settles when it is done, when `ms` milliseconds have passed ({@link TimeoutError}), when `signal` is
 * aborted ({@link AbortError}) or when the client is closed, whichever comes first. `work` is given a signal that is aborted in the
 * last three cases. Without `work` it is a pause that resolves when the time has passed. Leaves no listener and no timer behind.
 */
export function withTimeout<T>(
  ms: number,
  signal?: Signal,
  work?: (signal: Signal) => Promise<T>,
  closing?: Closing,
): Promise<T> {
  const controller = new AbortController();
  const signals = [signal, closing?.signal];
  let timer: ReturnType<typeof setTimeout>;
  let abort: () => void;
  return new Promise<T>((resolve, reject) => {
    const giveUp = (error: IntakeError) => {
      reject(error);
      controller.abort();
    };
    abort = () => giveUp(closing?.error ?? new AbortError("Aborted."));
    timer = setTimeout(
      () => (work ? giveUp(new TimeoutError(`No answer within ${ms} ms.`)) : (resolve as () => void)()),
      // A timer of more than 2^31 - 1 ms fires at once.
      Math.min(ms, 2e9),
    );
    for (const one of signals) one?.addEventListener("abort", abort);
    if (signals.some((one) => one?.aborted)) abort();
    else work?.(controller.signal).then(resolve, reject);
  }).finally(() => {
    clearTimeout(timer);
    for (const one of signals) one?.removeEventListener("abort", abort);
  });
}
