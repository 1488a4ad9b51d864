/** Milliseconds between two questions: short enough for every test, and long enough to leave the processor to others. */
const pause = 3;

/** Asks until there is an answer; an error after `seconds` without one. */
export async function until<T>(ask: () => Promise<T | undefined> | T | undefined, seconds = 60): Promise<T> {
  const end = performance.now() + seconds * 1_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > end) throw new Error(`nothing came within ${seconds} s`);
    await Bun.sleep(pause);
  }
}
