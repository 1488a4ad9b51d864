/**
 * What a move of the installation leaves at both of its ends while it is under way, and at its source for good: a file
 * in a data directory, a row in a database. A server that finds one does not start.
 */
export interface MoveMark {
  /** Of the move: both of its ends have the same. */
  id: string;
  role: "source" | "target";
  /** The other end in words, without a password. */
  peer: string;
  /** When everything had been moved, ISO 8601; null while the move is under way. A target loses its mark then. */
  movedAt: string | null;
}

/** Why nothing can work with an end of a move. `giveUp` says how to end an unfinished move at this end. */
export function reasonOfMark(end: string, { role, peer, movedAt }: MoveMark, giveUp: string): string {
  if (movedAt !== null) {
    return `${end} was moved on ${movedAt} to ${peer}. What was stored since then is only there: start intake with that`;
  }
  return role === "source"
    ? `${end} is being moved to ${peer}, which has not ended. Run the same command again, or give the move up: ${giveUp}`
    : `${end} is being filled from ${peer}, which has not ended. Run the same command again, or give the move up: ${giveUp}`;
}
