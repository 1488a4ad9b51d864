import { Periodic } from "../core/periodic.ts";
import type { Ballast } from "./ballast.ts";
import { codeOf, diskFull, isFatal, isFull, isInputOutput, troubleOf } from "./sqlite-errors.ts";

export interface HealthOptions {
  /** Given up when the disk is full. Writes are refused until the ballast can be made again. */
  ballast?: Ballast;
  /** Called when storage can no longer be trusted: the process must end. Writes in flight are never settled. */
  onFatal: (error: unknown) => void;
  /** Called with the reason when nothing can be committed, and with undefined when writes work again. */
  onTrouble?: (reason: string | undefined) => void;
}

const healMilliseconds = 1_000;

/**
 * Decides what follows from a failure of storage: an alarm, giving up the ballast, the end of the process, or recovery.
 */
export class Health {
  readonly #options: HealthOptions;
  /** `giveWay` refuses the waiting writes and shrinks the log. `probe` commits nothing, to see whether writes work. */
  readonly #store: { giveWay: () => void; probe: () => Promise<void> };
  #failures = 0;
  readonly #healing = new Periodic({
    turn: () => this.#heal(),
    every: healMilliseconds,
    failed: "whether storage commits again could not be tried",
  });
  trouble: string | undefined;
  /** Nothing is committed any more while the process ends. */
  dead = false;

  constructor(options: HealthOptions, store: { giveWay: () => void; probe: () => Promise<void> }) {
    this.#options = options;
    this.#store = store;
  }

  get full(): boolean {
    return this.#options.ballast?.givenUp ?? false;
  }

  committed() {
    this.#failures = 0;
    if (!this.full) this.#tell(undefined);
  }

  /** To be called when a group of writes failed. Returns the trouble as a sentence. */
  groupFailed(error: unknown): string {
    const code = codeOf(error);
    const trouble = troubleOf(code);
    this.#tell(trouble);
    if (isFatal(code) || (isInputOutput(code) && ++this.#failures > 1)) this.end(error);
    else if (isFull(code)) this.#giveUpBallast();
    return trouble;
  }

  /** To be called when a checkpoint pass failed; `again` when the pass before failed too. */
  passFailed(code: string, again: boolean) {
    this.#tell(troubleOf(code));
    if (isFull(code)) this.#giveUpBallast();
    else if (isFatal(code) || code === "EIO" || (again && isInputOutput(code))) {
      this.end(new Error(`checkpoint failed: ${code}`));
    }
  }

  end(error: unknown) {
    if (this.dead) return;
    this.dead = true;
    this.#options.onFatal(error);
  }

  /**
   * Makes the ballast again. When a command has given it up and the disk is still full, the ballast is given up here
   * too.
   */
  async keepBallast(): Promise<void> {
    const { ballast } = this.#options;
    if (!ballast || ballast.givenUp || (await ballast.make()) || !ballast.wasThere) return;
    this.#tell(diskFull);
    this.#giveUpBallast();
  }

  stop() {
    void this.#healing.stop();
  }

  #giveUpBallast() {
    this.#options.ballast?.giveUp();
    this.#store.giveWay();
  }

  #tell(trouble: string | undefined) {
    if (trouble === this.trouble) return;
    this.trouble = trouble;
    this.#options.onTrouble?.(trouble);
    // Without writes, nothing else would notice that storage works again.
    if (trouble === undefined) void this.#healing.stop();
    else this.#healing.start();
  }

  async #heal(): Promise<void> {
    if (this.full && !(await this.#options.ballast?.make())) return;
    await this.#store.probe();
  }
}
