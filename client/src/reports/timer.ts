/** A timer that does not keep a process alive. */
export function later(ms: number, act: () => void): () => void {
  const timer: unknown = setTimeout(act, Math.min(ms, 2 ** 31 - 1));
  const { Deno } = globalThis as { Deno?: { unrefTimer(timer: unknown): void } };
  if (Deno && typeof timer === "number") Deno.unrefTimer(timer);
  else (timer as { unref?(): void }).unref?.();
  return () => clearTimeout(timer as number);
}
