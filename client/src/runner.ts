import { requireBaseUrl } from "./core/base-url.ts";
import { toJson } from "./core/json.ts";
import {
  type Answer,
  type CallOptions,
  type Operation,
  send,
  type TransportOptions,
} from "./core/send-with-retries.ts";
import { requireToken } from "./core/token.ts";
import { uuid } from "./core/uuid.ts";
import type { Signal } from "./core/web-types.ts";
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

/** Options of an {@link IntakeRunner}. */
export interface RunnerOptions extends TransportOptions {
  /** URL of Intake, for example `https://intake.example.org`, with the path in front of `/runner` where there is one. */
  url: string;
  /** An API token (`itk_…`) with the scope `runs:execute`, or a function that returns one and is called at every try. */
  token: string | (() => string | Promise<string>);
}

/** Options of {@link IntakeRunner.claim}. */
export interface ClaimOptions extends CallOptions {
  /** Name, version and labels of the machine, as the dashboard shows them. */
  runner: RunnerInfo;
  /** How long the server waits when no run is queued, in seconds: 0 to 30. Default: 30. */
  waitSeconds?: number | undefined;
  /** Aborting it ends the wait. A run that the server assigned meanwhile is returned by the next `claim` of this object. */
  signal?: Signal | undefined;
}

/** How long the answer may take after `waitSeconds`, in milliseconds. */
const answerMs = 15_000;

/**
 * Claims agent runs, on the machine that executes them. Needs an API token with the scope `runs:execute`.
 *
 * ```ts
 * const runner = new IntakeRunner({ url: "https://intake.example.org", token: process.env.INTAKE_TOKEN });
 * const run = await runner.claim({ runner: { name: "build-3", version: "1.0", labels: [] } });
 * if (run) await run.complete({ outcome: "failed", summary: `Nobody can do ${run.ticket.title}.`, creditsUsed: 0 });
 * ```
 */
export class IntakeRunner {
  readonly #post: Post;
  /** Ids of claims without an answer: the server may have assigned a run to each of them. */
  readonly #lost: string[] = [];

  /** Throws {@link IntakeError} when `url` is no http URL or `token` is no API token. */
  constructor(given: RunnerOptions) {
    const { url, token, ...options } = given ?? {};
    const call = { _baseUrl: requireBaseUrl("url", url), _credential: requireToken(token) };
    this.#post = <T>(operation: Operation, body: object, callOptions: CallOptions) => {
      const headers = { "content-type": claimRun.mediaType };
      return send<T>({ ...operation, ...call, headers, body: toJson(body) }, options, callOptions);
    };
  }

  /**
   * Claims a run; undefined when none was queued within `waitSeconds`. Every try sends the same `claimId`, and so does the
   * next call when all tries fail: a run whose answer was lost is returned again.
   *
   * Rejects with an {@link IntakeError}: an `ApiError` with `code` when the server refuses the claim, `ConnectionError`,
   * `TimeoutError`, `AbortError`.
   */
  async claim({ runner, waitSeconds = 30, ...callOptions }: ClaimOptions): Promise<ClaimedRun | undefined> {
    const claimId = this.#lost.pop() ?? uuid();
    let answer: Answer<Claim>;
    try {
      const operation = { ...claimRun, _nothing: 204 };
      const body = { claimId, runner, waitSeconds };
      answer = await this.#post(operation, body, { timeoutMs: waitSeconds * 1_000 + answerMs, ...callOptions });
    } catch (error) {
      this.#lost.push(claimId);
      throw error;
    }
    return answer.response.status === 204 ? undefined : new ClaimedRun(this.#post, answer.data);
  }
}
