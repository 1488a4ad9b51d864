import { isTransient } from "../../../client/src/core/send-with-retries.ts";
import { type ClaimedRun, IntakeRunner, isIntakeError, type Run, type RunnerInfo } from "../../../client/src/runner.ts";
import { type Execution, executeRun } from "./execute-run.ts";

export interface Work extends Omit<Execution, "logEveryMs"> {
  url: string;
  token: string;
  info: RunnerInfo;
  /** How many runs are executed at the same time. */
  concurrency: number;
  /** Stop after one run. */
  once: boolean;
  /** Aborting it ends the claims; runs under way are finished. */
  stop: AbortSignal;
  completed(run: Run): void;
}

const waitSeconds = 30;
const pauseMilliseconds = 1_000;
const longestPauseMilliseconds = 30_000;

/**
 * Claims and executes runs, `concurrency` at the same time, until `stop` is aborted; then finishes those under way.
 * Returns whether every run was completed. Throws the IntakeError of a claim that would fail again, such as a 401.
 */
export async function executeRuns(work: Work): Promise<boolean> {
  const runner = new IntakeRunner({ url: work.url, token: work.token });
  const stop = new AbortController();
  const onStop = () => stop.abort();
  work.stop.addEventListener("abort", onStop);
  if (work.stop.aborted) onStop();
  const logEveryMs = Math.max(1_000, work.concurrency * 250);
  let all = true;
  const slot = async () => {
    try {
      for (;;) {
        const run = await claim(runner, work, stop.signal);
        if (!run) return;
        work.note(`run ${run.run.id}: claimed, attempt ${run.run.attempt}`);
        const completed = await executeRun(run, { ...work, logEveryMs });
        if (completed) work.completed(completed);
        else all = false;
        if (work.once) return;
      }
    } finally {
      // When one slot ends, because of `once` or an error, the others claim no more.
      stop.abort();
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: work.once ? 1 : work.concurrency }, slot));
  work.stop.removeEventListener("abort", onStop);
  const refused = ended.find((one) => one.status === "rejected");
  if (refused) throw refused.reason;
  return all;
}

/** Claims a run, retrying while the server cannot be reached; undefined when `signal` is aborted. */
async function claim(runner: IntakeRunner, { info, note }: Work, signal: AbortSignal): Promise<ClaimedRun | undefined> {
  for (let failures = 0; !signal.aborted; ) {
    const since = performance.now();
    try {
      const run = await runner.claim({ runner: info, waitSeconds, signal });
      if (run) return run;
      if (failures > 0) note("the server answers again");
      failures = 0;
      // A server that is shutting down answers at once. Pause, so that the claims do not become a busy loop.
      if (performance.now() - since < pauseMilliseconds) await pause(pauseMilliseconds, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!isIntakeError(error) || !isTransient(error)) throw error;
      if (failures++ === 0) note(`${error.message} Trying again.`);
      await pause(Math.min(pauseMilliseconds * 2 ** failures, longestPauseMilliseconds), signal);
    }
  }
  return undefined;
}

/** Waits; ends at once when `signal` is aborted. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
}
