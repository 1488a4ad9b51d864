import type { CutSegment } from "./log-spool.ts";

/** How the write-ahead log is kept for backups. */
export interface KeepLog {
  /** The folder of the spool. */
  folder: string;
  /** The time that a segment covers, in milliseconds. */
  every: number;
  /** Bytes that may wait in the spool. */
  bytesMax: number;
}

/** What becomes of the log, as the thread of the checkpoints tells it. */
export type LogEvent =
  /** A chain begins, or goes on after a stop or a kill. `gap` says why the one before could not go on. */
  | { keptLog: "begun"; chain: string; number: number; continued: boolean; gap: string | null }
  | ({ keptLog: "cut" } & CutSegment)
  /** Everything that was committed before this time (epoch milliseconds) is in a segment that is complete. */
  | { keptLog: "even"; at: number }
  /** No log is kept until there is room for it again, or the cause has gone. */
  | { keptLog: "ended"; reason: string };
