/** Milliseconds of work after which it pauses. */
const workMilliseconds = 8;
/** What is not work of this kind passes between two calls as well. */
const pauseMilliseconds = 50;

/**
 * Paces work on the disk that a server uses as well: it pauses for as long as it has worked, so that the server's commits
 * find the disk free half of the time.
 */
export class GiveWay {
  #since = performance.now();

  /** To be called between small steps of the work. */
  async pause(): Promise<void> {
    const worked = performance.now() - this.#since;
    if (worked < workMilliseconds) return;
    await Bun.sleep(Math.min(worked, pauseMilliseconds));
    this.#since = performance.now();
  }
}
