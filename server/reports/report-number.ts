/** The index numbers reports by their time of receipt; within a millisecond a counter tells them apart. */
export const numbersOfMillisecond = 2_048;

export function firstNumberOf(receivedAt: number): number {
  return Math.floor(receivedAt) * numbersOfMillisecond;
}
