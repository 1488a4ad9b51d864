/**
 * The time in epoch milliseconds at or before which a row is `age` milliseconds old. `-Infinity` while the clock is not
 * trusted: then no row is old. A server takes it from the DeletionClock.
 */
export type Cutoff = (age: number) => number;

/** A cutoff by a clock that is trusted as it is: beside a server, and in tests that set their own clock. */
export function cutoffBy(now: () => number): Cutoff {
  return (age) => now() - age;
}
