/** What happens on the way to a database, for whoever counts it. */
export interface DatabaseObserver {
  /**
   * A write begins again: it met another one, violated a constraint that another may have made, lost its connection, or
   * shared a transaction with one that did.
   */
  reran(reason: "conflict" | "constraint" | "lost" | "shared"): void;
  /** A read asks again because its connection was lost. */
  readAgain(): void;
  /** A commit whose answer was lost turned out to be stored or not, or that could not be found out. */
  doubted(outcome: "stored" | "not_stored" | "unknown"): void;
  /** So many requests were counted against their limits by one statement. */
  limited(requests: number, milliseconds: number): void;
  /** This process heard of a change of another one, so long after that was told. */
  heard(milliseconds: number): void;
}

export interface LaneCounts {
  open: number;
  /** Of the open ones: with a statement under way, or in a transaction. */
  busy: number;
  /** What waits: for a lane of its own, or for the statements before on a shared one. */
  waiting: number;
}
