import { markOf, readClockMark, readNewestTime, setClockMarkStep } from "./clock-mark.ts";
import type { Cutoff } from "./cutoff.ts";
import {
  type ClockJudgement,
  type ClockMark,
  clockAdvice,
  clockWords,
  driftOf,
  judgeClock,
  machineTime,
} from "./judge-clock.ts";
import { log } from "./log.ts";
import { Periodic } from "./periodic.ts";
import { readSettings } from "./settings.ts";
import type { Store } from "./store.ts";

const lookMilliseconds = 5_000;
const markMilliseconds = 3_600_000;
const dayMilliseconds = 86_400_000;
const notJudged = "the clock could not be judged and will be again";

/**
 * Decides whether the clock is plausible enough to delete by age, so that a clock that jumps deletes nothing.
 *
 * How it is used: whatever deletes rows, or ends them for good, because they are old, takes a {@link Cutoff} and
 * compares with `cutoff(age)` in each round anew, never with the clock itself: `delete … where received_at <=
 * cutoff(90 * dayMilliseconds)`, and `cutoff(0)` for a time of expiry that stands in the row. What only refuses (a
 * session that has ended, a link that is over) goes by the clock as it is: that can be taken back.
 *
 * How it decides: the server keeps a mark of the time in the database, set every hour while the clock is trusted. The
 * clock is compared with that mark plus the time that is known to have passed since, and with the release date of this
 * program; without a mark, with the newest rows. Where more than the setting `clock_gap_days` lies between them, the
 * clock is not trusted until it agrees again, or until an operator says `intake clock confirm`.
 *
 * Within one boot of the machine the mark follows the time that passes, and not the clock: what the clock was set by adds
 * up, so that many small steps are as implausible as one of their sum. Each new mark takes over only what may be drift.
 */
export class DeletionClock {
  readonly #store: Store;
  readonly #machine: typeof machineTime;
  readonly #now: () => number;
  readonly #monotonic: () => number;
  /** The time held to be right, and the monotonic time then. */
  #mark: (ClockMark & { monotonic: number }) | undefined;
  /** The mark as it stands in the database. */
  #stored: ClockMark | undefined;
  #storedMonotonic = Number.NEGATIVE_INFINITY;
  /**
   * Milliseconds that have passed since the stored mark while the clock was trusted: the time in which the clock may
   * have drifted.
   */
  #passed = 0;
  #judgement: ClockJudgement | undefined;
  #gap = 0;
  readonly #looking = new Periodic({
    turn: () => this.look(),
    every: lookMilliseconds,
    failed: notJudged,
  });

  constructor(
    store: Store,
    {
      now = () => Date.now(),
      machine = () => ({ ...machineTime(), now: now() }),
      monotonic = () => performance.now(),
    } = {},
  ) {
    this.#store = store;
    this.#machine = machine;
    this.#now = now;
    this.#monotonic = monotonic;
  }

  /** Judges the clock for the first time. Until then no row counts as old. */
  async start(): Promise<void> {
    await this.#judge().catch((error) => log.warn(notJudged, { error }));
    this.#looking.start();
    // The first answers do not wait for the mark, and no row is stored before it: writes keep their order.
    void this.#looking.wake();
  }

  /** Notes until when the clock was right, for the next start. */
  async stop(): Promise<void> {
    await this.#looking.stop();
    if (!this.trusted()) return;
    await this.look().catch(() => {});
    if (this.trusted()) await this.#keepMark();
  }

  readonly cutoff: Cutoff = (age) => (this.trusted() ? this.#now() - age : Number.NEGATIVE_INFINITY);

  /**
   * The time for what is stored, in whole milliseconds. Where the clock is far behind a time that is known to have passed, that time is taken:
   * what is stored meanwhile would otherwise be old, and deleted, as soon as the clock is right.
   */
  readonly now = (): number => {
    const [now, mark] = [this.#now(), this.#mark];
    if (!mark) return now;
    const expected = Math.floor(mark.at + this.#monotonic() - mark.monotonic);
    return now < expected - this.#gap ? expected : now;
  };

  /** Whether the clock is trusted now. Only reads two clocks, so that every request can ask. */
  readonly trusted = (): boolean => {
    const [judgement, mark] = [this.#judgement, this.#mark];
    if (!judgement?.trusted || !mark) return false;
    return Math.abs(this.#now() - mark.at - (this.#monotonic() - mark.monotonic)) <= this.#gap;
  };

  /** What is wrong with the clock; undefined while it is trusted, and before it was judged. */
  readonly doubt = (): ClockJudgement | undefined => {
    return this.#judgement?.trusted === false ? this.#judgement : undefined;
  };

  /** Judges the clock once, and writes the mark where it is due. */
  async look(): Promise<void> {
    await this.#judge();
    await this.#keepMarkWhereDue();
  }

  /**
   * Compares the clock with the mark. A mark that another process has set in the meantime is a confirmation of the
   * clock.
   */
  async #judge(): Promise<void> {
    const { clock_gap_days } = await readSettings(this.#store);
    this.#gap = clock_gap_days * dayMilliseconds;
    const first = this.#judgement === undefined;
    let mark: ClockMark | undefined = this.#mark;
    const stored = await readClockMark(this.#store);
    if (first || (stored && stored.at !== this.#stored?.at)) {
      mark = stored;
      this.#passed = 0;
    }
    this.#stored = stored;
    const newestRow = mark ? undefined : await readNewestTime(this.#store);

    const machine = this.#machine();
    const judgement = judgeClock(machine, { mark, newestRow, gap: this.#gap });
    const before = this.#judgement;
    this.#judgement = judgement;
    // From here on the monotonic clock tells what has passed, also where the clock is not trusted. Only where nothing
    // told it, after another boot, the clock is taken over.
    const at = judgement.trusted && judgement.passed === undefined ? machine.now : judgement.expected;
    this.#passed = judgement.trusted ? this.#passed + (judgement.passed ?? 0) : 0;
    this.#mark = { ...markOf(machine), at, monotonic: this.#monotonic() };
    this.#tell(before);
    if (before?.trusted !== judgement.trusted) this.#storedMonotonic = Number.NEGATIVE_INFINITY;
  }

  /**
   * Writes the mark every hour. While the clock is not trusted the mark stays as it is, so that a mark set by a
   * confirmation differs from it.
   */
  async #keepMarkWhereDue(): Promise<void> {
    const due = this.#monotonic() - this.#storedMonotonic >= markMilliseconds;
    const stands = this.#judgement?.trusted === false && this.#storedMonotonic > Number.NEGATIVE_INFINITY;
    if (due && !stands) await this.#keepMark();
  }

  async #keepMark(): Promise<void> {
    const current = this.#mark;
    if (!current) return;
    // The mark follows the clock in no other way, so that every process that reads the mark judges as this server does.
    const mark = { ...current, at: current.at + driftOf(this.#judgement?.unexplained ?? 0, this.#passed) };
    try {
      await this.#store.write((tx) => setClockMarkStep(tx, mark));
    } catch {
      // While storage refuses writes nothing is deleted either; the next look tries again.
      return;
    }
    [this.#mark, this.#stored, this.#passed] = [mark, mark, 0];
    this.#storedMonotonic = mark.monotonic;
  }

  #tell(before: ClockJudgement | undefined) {
    const judgement = this.#judgement;
    if (!judgement || before?.trusted === judgement.trusted) return;
    if (!judgement.trusted) log.warn(`${clockWords(judgement)}. ${clockAdvice}`);
    else if (before) log.info("the clock is trusted again: deleting by age goes on");
  }
}
