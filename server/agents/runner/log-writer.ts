import type { CallOptions } from "../../../client/src/core/send-with-retries.ts";
import { type ClaimedRun, isIntakeError } from "../../../client/src/runner.ts";
import { isGone } from "./lease-keeper.ts";

/** Output of this length, in UTF-16 units, is sent at once. */
const pieceMax = 65_536;

/** Sends the output of a run to its log. Collects it for a while first, so that many runs stay within the rate limit of their token. */
export class LogWriter {
  readonly #run: ClaimedRun;
  readonly #everyMs: number;
  #collected = "";
  #sending: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  /** The log is full or the lease is lost: further output is discarded. */
  #closed = false;

  constructor(run: ClaimedRun, { everyMs }: { everyMs: number }) {
    this.#run = run;
    this.#everyMs = everyMs;
  }

  /** Adds output. Resolves when the caller may write more. */
  async write(text: string): Promise<void> {
    if (this.#closed || text === "") return;
    this.#collected += text;
    if (this.#collected.length >= pieceMax) return this.send();
    this.#timer ??= setTimeout(() => void this.send(), this.#everyMs);
  }

  /** Sends the collected output, after requests that are under way. Output that cannot be sent now goes with the next request. */
  async send(options: CallOptions = {}): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending = this.#sending.then(() => this.#append(options));
    await this.#sending;
  }

  async #append(options: CallOptions): Promise<void> {
    if (this.#closed) return;
    const text = this.#collected;
    this.#collected = "";
    try {
      const { truncated } = await this.#run.appendLog(text, options);
      this.#closed = truncated;
    } catch (error) {
      if (!isIntakeError(error)) throw error;
      this.#closed = isGone(error);
    }
  }
}
