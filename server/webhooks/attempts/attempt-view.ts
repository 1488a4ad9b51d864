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

/** An attempt as it is shown; pages and the command line pick from it. */
export interface AttemptView {
  /** Of its delivery, from 1. */
  number: number;
  at: string;
  status: number | null;
  /** From a closed list; null when it was accepted. */
  error: string | null;
  /** Why nothing was sent, in words; null where something was. */
  detail: string | null;
  /** Null when nobody knows: whoever made it did not live to tell. */
  ms: number | null;
  /** The beginning of the answer's body. */
  answer: string | null;
}

/** Of the table `attempt`, which the query names `a`; `answer` comes from there or from the last attempt. */
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
