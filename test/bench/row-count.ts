import type { Measured } from "./rounds.ts";

export interface RowCount {
  name: string;
  answers: number;
  rows: number;
  /** Every request was answered 2xx, every answer has its row, and no more rows than requests whose answer wrk may not have seen. */
  right: boolean;
  explanation: string;
}

/** `disagreement`: what does not fit together among the rows themselves. */
export function judgeRows(
  { name, answers, refusals, underWayMax }: Pick<Measured, "name" | "answers" | "refusals" | "underWayMax">,
  rows: number,
  disagreement?: string,
): RowCount {
  const extra = rows - answers;
  let wrong = disagreement;
  if (refusals > 0) wrong = `${refusals} requests were refused`;
  else if (extra < 0) wrong = `${-extra} acknowledged rows are MISSING`;
  else if (extra > underWayMax) wrong = `${extra} rows more than answers`;
  const explanation = wrong ?? `${extra} under way whenever wrk ended were stored too`;
  return { name, answers, rows, right: wrong === undefined, explanation };
}
