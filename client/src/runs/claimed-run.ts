import { isApiError } from "../core/errors.ts";
import type { Answer, CallOptions, Operation } from "../core/send-with-retries.ts";
import { appendRunLog, completeRun, heartbeatRun } from "../generated/contract.ts";
import type { Claim, Completion, Heartbeat, Lease, Run, RunLog, RunRepository, RunTicket } from "./types.ts";

/** Sends a request with a JSON body. */
export type Post = <T>(operation: Operation, body: object, callOptions: CallOptions) => Promise<Answer<T>>;

/** Options of {@link ClaimedRun.complete}. Default of `maxRetries` and `deadlineMs`: no limit. */
export type CompleteOptions = CallOptions;

/** Longest text in one request, in UTF-16 units: even with every character escaped, its JSON fits into a request's body. */
const pieceMax = 131_072;
/** Longest text that waits to be sent: the limit of a whole log and one more unit, so that the server reports it as truncated. */
const waitingMax = 5_242_881;

/**
 * A run that this machine has claimed. Its lease lasts 90 seconds from the claim and from each heartbeat; once the lease
 * is lost, every method rejects with an `ApiError` whose `code` is `lease_lost` or `not_found`.
 */
export class ClaimedRun {
  /** The run as it was claimed. */
  readonly run: Run;
  /** The ticket that the run works on. */
  readonly ticket: RunTicket;
  /** The repository that the run changes. */
  readonly repository: RunRepository | undefined;
  /** How often to call {@link heartbeat}, in seconds. */
  readonly heartbeatSeconds: number;
  /** When the server ends the run, whether it has finished or not. ISO 8601. */
  readonly deadlineAt: string;
  /** Credits that are held for the run; null while credits are not limited. */
  readonly creditsHeld: number | null;
  readonly #send: <T>(operation: Operation, body: object, callOptions: CallOptions) => Promise<T>;
  /** Length of the log on the server, in bytes of UTF-8, as far as its answers tell. */
  #offset = 0;
  /** The text to append at `#offset`. The server may have a part of it already, when an answer was lost. */
  #waiting = "";
  #logging: Promise<unknown> = Promise.resolve();

  /** Made by `IntakeRunner.claim`. */
  constructor(post: Post, { leaseToken, ...claim }: Claim) {
    this.run = claim.run;
    this.ticket = claim.ticket;
    this.repository = claim.repository;
    this.heartbeatSeconds = claim.heartbeatSeconds;
    this.deadlineAt = claim.deadlineAt;
    this.creditsHeld = claim.creditsHeld;
    this.#send = async <T>({ path, ...operation }: Operation, body: object, callOptions: CallOptions) => {
      const call = { ...operation, path: path.replace("{id}", this.run.id) };
      return (await post<T>(call, { ...body, leaseToken }, callOptions)).data;
    };
  }

  /** Renews the lease. If the answer has `cancelRequested`, stop working and {@link complete} the run as `cancelled`. */
  heartbeat(beat: Heartbeat = {}, options: CallOptions = {}): Promise<Lease> {
    return this.#send(heartbeatRun, beat, options);
  }

  /**
   * Appends a text to the log, in the order of the calls. If the promise rejects the text is kept, and the next call sends
   * it first. U+0000 and lone surrogates become U+FFFD. Long texts are sent in several requests.
   */
  appendLog(text: string, options: CallOptions = {}): Promise<RunLog> {
    this.#waiting += wellFormed(text.slice(0, waitingMax - this.#waiting.length));
    const appended = this.#logging.then(() => this.#append(options));
    this.#logging = appended.catch(() => {});
    return appended;
  }

  /**
   * Ends the run. Retries until the server answers, however long that takes; `signal` and `deadlineMs` end the retries. A
   * repeat changes nothing: the server keeps the first completion and answers with it.
   */
  async complete(completion: Completion, options: CompleteOptions = {}): Promise<Run> {
    const patient = { maxRetries: Number.POSITIVE_INFINITY, deadlineMs: Number.POSITIVE_INFINITY, ...options };
    return (await this.#send<{ run: Run }>(completeRun, completion, patient)).run;
  }

  async #append(options: CallOptions): Promise<RunLog> {
    let log: RunLog = { length: this.#offset, truncated: false };
    while (this.#waiting) {
      const piece = firstPiece(this.#waiting);
      log = await this.#appendPiece(piece, options);
      this.#offset = log.length;
      this.#waiting = this.#waiting.slice(piece.length);
    }
    return log;
  }

  #appendPiece(text: string, options: CallOptions): Promise<RunLog> {
    const append = () => this.#send<RunLog>(appendRunLog, { offset: this.#offset, text }, options);
    return append().catch((error: unknown) => {
      // A server that was restored from a backup may lack the end of the log. Go on from where its log ends.
      this.#offset = logLengthFrom(error);
      return append();
    });
  }
}

/** Replaces what the server's log cannot contain: U+0000 and lone surrogates, by U+FFFD. */
function wellFormed(text: string): string {
  const bytes = new TextEncoder().encode(text.replaceAll("\0", "\ufffd"));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** The beginning of a text, at most `pieceMax` UTF-16 units, which does not end between the halves of a surrogate pair. */
function firstPiece(text: string): string {
  const end = /[\ud800-\udbff]/.test(text[pieceMax - 1] ?? "") ? pieceMax - 1 : pieceMax;
  return text.slice(0, end);
}

/** The length of the server's log from a `log_gap` error; throws any other error again. */
function logLengthFrom(error: unknown): number {
  const { length } = isApiError(error) && error.code === "log_gap" ? (JSON.parse(error.bodyText) as RunLog) : {};
  if (length === undefined) throw error;
  return length;
}
