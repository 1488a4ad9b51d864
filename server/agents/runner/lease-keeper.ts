import { type ClaimedRun, type Heartbeat, isApiError } from "../../../client/src/runner.ts";
import { limits } from "../../../openapi/schema/limits.ts";

/** Why a run is stopped: a member cancelled it, another runner may have it by now, or this runner was told to give it up. */
export type StopReason = "cancelled" | "lost" | "given up";

const leaseMilliseconds = limits.leaseSeconds * 1_000;
/** Time limit of one heartbeat. */
const answerMilliseconds = 10_000;
/** How long to wait after a heartbeat that was not answered. */
const retryMilliseconds = 5_000;

/**
 * Sends heartbeats until it is released. Aborts `stop` when a member has cancelled the run, and when the lease is lost or
 * would end before the next heartbeat could be answered: from then on another runner may have the run. A run whose
 * deadline has passed loses its lease too.
 */
export class LeaseKeeper {
  readonly #run: ClaimedRun;
  readonly #stop: AbortController;
  readonly #heartbeat: () => Heartbeat;
  #renewedAt = performance.now();
  #timer: Timer | undefined;
  #released = false;

  constructor(run: ClaimedRun, stop: AbortController, heartbeat: () => Heartbeat) {
    this.#run = run;
    this.#stop = stop;
    this.#heartbeat = heartbeat;
    void this.#beat();
  }

  release() {
    this.#released = true;
    clearTimeout(this.#timer);
  }

  async #beat(): Promise<void> {
    const next = await this.#renew();
    if (this.#released) return;
    if (typeof next === "string") this.#stop.abort(next);
    else this.#timer = setTimeout(() => void this.#beat(), next);
  }

  /** Sends a heartbeat. Returns after how many milliseconds to send the next one, or why the run has to stop. */
  async #renew(): Promise<number | StopReason> {
    const sentAt = performance.now();
    try {
      const once = { timeoutMs: answerMilliseconds, maxRetries: 0 };
      const { cancelRequested } = await this.#run.heartbeat(this.#heartbeat(), once);
      this.#renewedAt = sentAt;
      return cancelRequested ? "cancelled" : this.#run.heartbeatSeconds * 1_000;
    } catch (error) {
      const nextAnswer = performance.now() + retryMilliseconds + answerMilliseconds;
      return isGone(error) || nextAnswer > this.#renewedAt + leaseMilliseconds ? "lost" : retryMilliseconds;
    }
  }
}

/** Whether an error says that the run belongs to this runner no longer, so that a retry is useless. */
export function isGone(error: unknown): boolean {
  return isApiError(error) && [401, 403, 404, 409].includes(error.status);
}
