/** Numbers of the index run with the time of receipt; within a millisecond they are counted. */
export const numbersOfMillisecond = 2_048;

export function firstNumberOf(receivedAt: number): number {
  return Math.floor(receivedAt) * numbersOfMillisecond;
}
