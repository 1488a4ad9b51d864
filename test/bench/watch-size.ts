import { statSync } from "node:fs";

/** Looks at a file four times a second; the answer is the largest size seen so far. */
export function watchSize(path: string): { largest: () => number; stop: () => void } {
  let largest = 0;
  const timer = setInterval(() => {
    largest = Math.max(largest, statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  }, 250);
  return { largest: () => largest, stop: () => clearInterval(timer) };
}
