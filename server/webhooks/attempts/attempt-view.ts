import { isoTime } from "../../core/iso-time.ts";

/** A row of the table `attempt`: one request of a delivery. Times are epoch milliseconds. */
export type AttemptRow = {
  delivery_id: string;
  number: number;
  at: number;
  milliseconds: number | null;
  status: number | null;
  error: string | null;
  detail: string | null;
  answer: string | null;
};

/** An attempt as it is shown; pages and the command line pick members from it. */
export interface AttemptView {
  /** The number of the attempt within its delivery, from 1. */
  number: number;
  at: string;
  status: number | null;
  /** From a closed list; null when the message was accepted. */
  error: string | null;
  /** Why nothing was sent, as a sentence; null when something was sent. */
  detail: string | null;
  /** Null when it is not known how long the attempt took, because the process that made it was killed. */
  ms: number | null;
  /** The beginning of the answer's body. */
  answer: string | null;
}

/**
 * Columns of the table `attempt`, which the query names `a`; `answer` comes from that table or from the last attempt.
 */
export const attemptColumns = "a.number, a.at, a.status, a.error, a.detail, a.milliseconds";

export function presentAttempt(row: Omit<AttemptRow, "delivery_id">): AttemptView {
  return {
    number: row.number,
    at: isoTime(row.at),
    status: row.status,
    error: row.error,
    detail: row.detail,
    ms: row.milliseconds,
    answer: row.answer,
  };
}
