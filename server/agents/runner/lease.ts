import { type ClaimedRun, type Heartbeat, isApiError } from "../../../client/src/runner.ts";
import { limits } from "../../../openapi/schema/limits.ts";

/** Why a run is stopped: a person cancelled it, somebody else may have it by now, or this machine gives it up. */
export type StopReason = "cancelled" | "lost" | "given up";

const leaseMilliseconds = limits.leaseSeconds * 1_000;
const answerMilliseconds = 10_000;
/** After a heartbeat that was not answered. */
const againMilliseconds = 5_000;

/**
 * Sends heartbeats until it is let go. Stops the run when a person has cancelled it, and when the lease is lost or would
 * end unrenewed: from then on another runner may have the run. The server's deadline is told the same way.
 */
export class LeaseKeeper {
  readonly #run: ClaimedRun;
  readonly #stop: AbortController;
  readonly #tell: () => Heartbeat;
  #renewedAt = performance.now();
  #timer: Timer | undefined;
  #released = false;

  constructor(run: ClaimedRun, stop: AbortController, tell: () => Heartbeat) {
    this.#run = run;
    this.#stop = stop;
    this.#tell = tell;
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

  /** When to do it again, in milliseconds, or why not to. */
  async #renew(): Promise<number | StopReason> {
    const sentAt = performance.now();
    try {
      const once = { timeoutMs: answerMilliseconds, maxRetries: 0 };
      const { cancelRequested } = await this.#run.heartbeat(this.#tell(), once);
      this.#renewedAt = sentAt;
      return cancelRequested ? "cancelled" : this.#run.heartbeatSeconds * 1_000;
    } catch (error) {
      const nextAnswer = performance.now() + againMilliseconds + answerMilliseconds;
      return isGone(error) || nextAnswer > this.#renewedAt + leaseMilliseconds ? "lost" : againMilliseconds;
    }
  }
}

/** The run is not ours any more, and no repeat changes that. */
export function isGone(error: unknown): boolean {
  return isApiError(error) && [401, 403, 404, 409].includes(error.status);
}
