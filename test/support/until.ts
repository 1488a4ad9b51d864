/** Milliseconds between two checks: short enough for every test, and long enough to leave the processor to others. */
const pause = 3;

/**
 * Checks again and again until there is a value, and returns it; an error after `seconds` without one. A test has 60 s:
 * when it takes longer, the runner kills all processes of its file, and the tests after it have no server or browser.
 */
export async function until<T>(ask: () => Promise<T | undefined> | T | undefined, seconds = 45): Promise<T> {
  const end = performance.now() + seconds * 1_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > end) throw new Error(`nothing came within ${seconds} s`);
    await Bun.sleep(pause);
  }
}
