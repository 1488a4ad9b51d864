/** A move that cannot begin, go on or end. The message says what was done, and what to do. */
export class MoveRefused extends Error {
  override name = "MoveRefused";
}
