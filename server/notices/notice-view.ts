import { isoTime } from "../core/iso-time.ts";
import type { NoticeRow } from "./notice-row.ts";
import type { NoticeLevel } from "./rule.ts";
import { ruleOf } from "./rules.ts";

/** A notice as it is shown. */
export interface NoticeView {
  id: string;
  rule: string;
  level: NoticeLevel;
  /** What the rule stands for, what that means, and what to do. */
  title: string;
  about: string;
  remedy: string;
  /** What it is about, and what people call that; null where there is only one such thing. */
  subject: string | null;
  name: string | null;
  /** Null for the whole installation. */
  projectId: string | null;
  /** What was found. */
  text: string;
  /** The page where something can be done. */
  path: string;
  state: "open" | "dismissed" | "over";
  raisedAt: string;
  clearedAt: string | null;
  /** How often it was raised. */
  times: number;
  dismissedBy: string | null;
  /** When subscribers were last told of it. */
  toldAt: string | null;
}

export function presentNotice(row: NoticeRow): NoticeView {
  // A newer version may have stored notices of rules that this one does not know.
  const { level = "warning", title = row.rule, about = "", remedy = "" } = ruleOf(row.rule) ?? {};
  return {
    ...{ id: row.id, rule: row.rule, level, title, about, remedy },
    subject: row.subject === "" ? null : row.subject,
    name: row.name,
    projectId: row.project_id,
    text: row.text,
    path: row.path,
    state: row.cleared_at !== null ? "over" : row.dismissed_at !== null ? "dismissed" : "open",
    raisedAt: isoTime(row.raised_at),
    clearedAt: isoTime(row.cleared_at),
    times: row.times,
    dismissedBy: row.dismissed_by,
    toldAt: isoTime(row.told_at),
  };
}
