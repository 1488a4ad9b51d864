/**
 * Milliseconds between two checks: a twentieth of the time waited so far, so that what comes soon is seen soon and what
 * takes long is not asked for hundreds of times.
 */
const pause = { share: 1 / 20, min: 3, max: 30 } as const;

/**
 * Checks again and again until there is a value, and returns it; an error after `seconds` without one. A test has 180 s:
 * when it takes longer, the runner kills all processes of its file, and the tests after it have no server or browser.
 */
export async function until<T>(ask: () => Promise<T | undefined> | T | undefined, seconds = 45): Promise<T> {
  const started = performance.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    const waited = performance.now() - started;
    if (waited > seconds * 1_000) throw new Error(`nothing came within ${seconds} s`);
    await Bun.sleep(Math.min(pause.max, Math.max(pause.min, waited * pause.share)));
  }
}
