import { requireBaseUrl } from "./core/base-url.ts";
import { toJson } from "./core/json.ts";
import { type Answer, type CallOptions, type Operation, send, type TransportOptions } from "./core/send.ts";
import { requireToken } from "./core/token.ts";
import { uuid } from "./core/uuid.ts";
import type { Signal } from "./core/web.ts";
import { claimRun } from "./generated/contract.ts";
import { ClaimedRun, type Post } from "./runs/claimed-run.ts";
import type { Claim, RunnerInfo } from "./runs/types.ts";

export * from "./core/exports.ts";
export { ClaimedRun, type CompleteOptions } from "./runs/claimed-run.ts";
export type {
  Completion,
  Heartbeat,
  Lease,
  Run,
  RunError,
  RunLog,
  RunnerInfo,
  RunOutcome,
  RunRepository,
  RunTicket,
} from "./runs/types.ts";

/** Where runs are claimed, by whom, and how. */
export interface RunnerOptions extends TransportOptions {
  /** Where Intake answers, for example `https://intake.example.org`; a path in front of `/runner` may stand in it. */
  url: string;
  /** An API token (`itk_…`) with the scope `runs:execute`, or a function that gives it, asked at every try. */
  token: string | (() => string | Promise<string>);
}

/** How one run is claimed. */
export interface ClaimOptions extends CallOptions {
  /** The machine, as people see it. */
  runner: RunnerInfo;
  /** How long the server waits for a run when there is none: 0 to 30. 30 unless told. */
  waitSeconds?: number | undefined;
  /** Aborting ends the wait. What the server gave meanwhile is given again to the next `claim` of this object. */
  signal?: Signal | undefined;
}

/** Between the end of the wait and the answer, in milliseconds. */
const answerMs = 15_000;

/**
 * Claims agent runs with an API token that has the scope `runs:execute`, for machines that execute them.
 *
 * ```ts
 * const runner = new IntakeRunner({ url: "https://intake.example.org", token: process.env.INTAKE_TOKEN });
 * const run = await runner.claim({ runner: { name: "build-3", version: "1.0", labels: [] } });
 * if (run) await run.complete({ outcome: "failed", summary: `Nobody can do ${run.ticket.title}.`, creditsUsed: 0 });
 * ```
 */
export class IntakeRunner {
  readonly #post: Post;
  /** Of claims whose answer was lost: a run may wait behind each. */
  readonly #lost: string[] = [];

  /** Throws {@link IntakeError} for an address that is none and for an SDK key instead of a token. */
  constructor(given: RunnerOptions) {
    const { url, token, ...options } = given ?? {};
    const call = { baseUrl: requireBaseUrl("url", url), credential: requireToken(token) };
    this.#post = <T>(operation: Operation, body: object, own: CallOptions) => {
      const headers = { "content-type": claimRun.mediaType };
      return send<T>({ ...operation, ...call, headers, body: toJson(body) }, options, own);
    };
  }

  /**
   * A run to execute, or undefined when there was none within `waitSeconds`. Every try carries the same `claimId`, and
   * when all of them fail so does the next call: a run whose answer was lost is given again.
   *
   * Rejects with an {@link IntakeError}: an `ApiError` with `code` for what the server refused, `ConnectionError`,
   * `TimeoutError`, `AbortError`.
   */
  async claim({ runner, waitSeconds = 30, ...own }: ClaimOptions): Promise<ClaimedRun | undefined> {
    const claimId = this.#lost.pop() ?? uuid();
    let answer: Answer<Claim | undefined>;
    try {
      const operation = { ...claimRun, nothing: 204 };
      const body = { claimId, runner, waitSeconds };
      answer = await this.#post(operation, body, { timeoutMs: waitSeconds * 1_000 + answerMs, ...own });
    } catch (error) {
      this.#lost.push(claimId);
      throw error;
    }
    return answer.data && new ClaimedRun(this.#post, answer.data);
  }
}
