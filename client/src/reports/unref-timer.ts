/** A timer that does not keep its process alive, in every runtime. Returns the function that cancels it. */
export function setUnrefTimeout(ms: number, act: () => void): () => void {
  const timer: unknown = setTimeout(act, Math.min(ms, 2 ** 31 - 1));
  const { Deno } = globalThis as { Deno?: { unrefTimer(timer: unknown): void } };
  if (Deno && typeof timer === "number") Deno.unrefTimer(timer);
  else (timer as { unref?(): void }).unref?.();
  return () => clearTimeout(timer as number);
}
