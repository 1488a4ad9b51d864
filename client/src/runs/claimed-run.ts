import { isApiError } from "../core/errors.ts";
import type { Answer, CallOptions, Operation } from "../core/send.ts";
import { appendRunLog, completeRun, heartbeatRun } from "../generated/contract.ts";
import type { Claim, Completion, Heartbeat, Lease, Run, RunLog, RunRepository, RunTicket } from "./types.ts";

/** Sends an operation's body as JSON. */
export type Post = <T>(operation: Operation, body: object, own: CallOptions) => Promise<Answer<T>>;

/** How a run is completed: `maxRetries` and `deadlineMs` have no end unless told. */
export type CompleteOptions = CallOptions;

/** In UTF-16 units: as JSON never more than a body may have, whatever the characters. */
const pieceMax = 131_072;
/** No log is longer, so of what waits no more is kept: one more, for the server to say so. */
const waitingMax = 5_242_881;

/**
 * A run that is yours as long as its lease lives: 90 seconds from the claim and from each heartbeat. Every method rejects
 * with an `ApiError` whose `code` is `lease_lost` or `not_found` once it is not.
 */
export class ClaimedRun {
  /** The run as it was claimed. */
  readonly run: Run;
  /** What it works on. */
  readonly ticket: RunTicket;
  /** What it works against. */
  readonly repository: RunRepository | undefined;
  /** How often to call {@link heartbeat}, in seconds. */
  readonly heartbeatSeconds: number;
  /** When the run is ended, whatever it does. ISO 8601. */
  readonly deadlineAt: string;
  /** Credits that are held for it; null while credits are not limited. */
  readonly creditsHeld: number | null;
  readonly #send: <T>(operation: Operation, body: object, own: CallOptions) => Promise<T>;
  #offset = 0;
  /** What is to stand at the offset. Parts of it may be there already: answers are lost. */
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
    this.#send = async <T>({ path, ...operation }: Operation, body: object, own: CallOptions) => {
      const call = { ...operation, path: path.replace("{id}", this.run.id) };
      return (await post<T>(call, { ...body, leaseToken }, own)).data;
    };
  }

  /** Keeps the run. With `cancelRequested` stop working and {@link complete} it with the outcome `cancelled`. */
  heartbeat(beat: Heartbeat = {}, options: CallOptions = {}): Promise<Lease> {
    return this.#send(heartbeatRun, beat, options);
  }

  /**
   * Appends to the log, in the order of the calls. When it rejects the text is not lost: the next call sends it first.
   * U+0000 and halves of surrogate pairs become U+FFFD. Longer texts are sent in pieces.
   */
  appendLog(text: string, options: CallOptions = {}): Promise<RunLog> {
    this.#waiting += wellFormed(text.slice(0, waitingMax - this.#waiting.length));
    const appended = this.#logging.then(() => this.#append(options));
    this.#logging = appended.catch(() => {});
    return appended;
  }

  /**
   * Ends the run and tries until it is answered, however long that takes; `signal` and `deadlineMs` end the tries. Sent
   * again it changes nothing: the first completion stands, and is what is answered.
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
      // A server that was restored from a backup lacks what came before: it goes on from where its log ends.
      this.#offset = gapAt(error);
      return append();
    });
  }
}

function wellFormed(text: string): string {
  const bytes = new TextEncoder().encode(text.replaceAll("\0", "\ufffd"));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

/** Ends within no character. */
function firstPiece(text: string): string {
  const end = /[\ud800-\udbff]/.test(text[pieceMax - 1] ?? "") ? pieceMax - 1 : pieceMax;
  return text.slice(0, end);
}

/** Where the log ends, when that is what the server said; throws what was thrown otherwise. */
function gapAt(error: unknown): number {
  const { length } = isApiError(error) && error.code === "log_gap" ? (JSON.parse(error.bodyText) as RunLog) : {};
  if (length === undefined) throw error;
  return length;
}
