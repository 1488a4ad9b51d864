/** Asks until there is an answer; an error after `seconds` without one. */
export async function until<T>(ask: () => Promise<T | undefined> | T | undefined, seconds = 10): Promise<T> {
  const end = performance.now() + seconds * 1_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > end) throw new Error(`nothing came within ${seconds} s`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
