/** Milliseconds of work after which it pauses. */
const workMilliseconds = 8;
/** Pauses for each millisecond of work. */
const pauseShare = 2;
/** What is not work of this kind passes between two calls as well. */
const pauseMilliseconds = 100;

/**
 * Paces work on the disk that a server uses as well: it pauses for twice as long as it has worked, so that the server's
 * commits find the disk free two thirds of the time.
 */
export class GiveWay {
  #since = performance.now();

  /** To be called between small steps of the work. */
  async pause(): Promise<void> {
    const worked = performance.now() - this.#since;
    if (worked < workMilliseconds) return;
    await Bun.sleep(Math.min(pauseShare * worked, pauseMilliseconds));
    this.#since = performance.now();
  }
}
