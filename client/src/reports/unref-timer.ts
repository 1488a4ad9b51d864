/** A timer that does not keep its process alive, in every runtime, of at most 2^31 - 1 ms. Returns the function that cancels it. */
export function setUnrefTimeout(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms) as unknown as number & { unref?(): void };
  if (timer.unref) timer.unref();
  else (globalThis as { Deno?: { unrefTimer(timer: number): void } }).Deno?.unrefTimer(timer);
  return () => clearTimeout(timer);
}
