import type { Row } from "../core/store.ts";

/** A row of the table `notice`: a rule and what it is about. Times are epoch milliseconds. */
export interface NoticeRow extends Row {
  id: string;
  rule: string;
  subject: string;
  project_id: string | null;
  name: string | null;
  text: string;
  count: number;
  path: string;
  raised_at: number;
  seen_at: number;
  cleared_at: number | null;
  times: number;
  dismissed_at: number | null;
  dismissed_by: string | null;
  told: "raised" | "cleared" | null;
  told_at: number | null;
}
