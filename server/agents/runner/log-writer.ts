import type { CallOptions } from "../../../client/src/core/send-with-retries.ts";
import { type ClaimedRun, isIntakeError } from "../../../client/src/runner.ts";
import { isGone } from "./lease.ts";

/** In UTF-16 units: what is gathered before it is sent. */
const pieceMax = 65_536;

/** Sends what a run prints, in pieces, so that many runs of one token stay within its limit. */
export class LogWriter {
  readonly #run: ClaimedRun;
  readonly #everyMs: number;
  #gathered = "";
  #sending: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  /** Nobody takes more of it. */
  #closed = false;

  constructor(run: ClaimedRun, { everyMs }: { everyMs: number }) {
    this.#run = run;
    this.#everyMs = everyMs;
  }

  /** Resolves when there is room for more. */
  async write(text: string): Promise<void> {
    if (this.#closed || text === "") return;
    this.#gathered += text;
    if (this.#gathered.length >= pieceMax) return this.send();
    this.#timer ??= setTimeout(() => void this.send(), this.#everyMs);
  }

  /** Sends what was gathered, after what is under way. What cannot be sent now goes with the next piece. */
  async send(options: CallOptions = {}): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending = this.#sending.then(() => this.#append(options));
    await this.#sending;
  }

  async #append(options: CallOptions): Promise<void> {
    if (this.#closed) return;
    const text = this.#gathered;
    this.#gathered = "";
    try {
      const { truncated } = await this.#run.appendLog(text, options);
      this.#closed = truncated;
    } catch (error) {
      if (!isIntakeError(error)) throw error;
      this.#closed = isGone(error);
    }
  }
}
