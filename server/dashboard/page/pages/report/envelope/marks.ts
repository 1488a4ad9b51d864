import type { ReportDetail } from "../../reports/types.ts";

/** A note beside a line of the tree. */
export interface Mark {
  word: string;
  tone: "warn" | "";
  title: string;
}

const known = new Set(
  "version reportId type title message level occurredAt sentAt sdk app device os user tags contexts breadcrumbs exception fingerprint attachments dropped clientReport".split(
    " ",
  ),
);

const words: Record<string, string> = { wrong_type: "wrong type", too_long: "too long", too_many: "too many" };

/** The marks of the tree: warnings by their paths, and for each top-level member whether it is a known one. */
export function marksOf(
  { warnings }: Pick<ReportDetail, "warnings">,
  members: readonly (string | number)[],
): Map<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const name of members) {
    if (!known.has(String(name))) {
      const title = "Intake does not know this member. It is kept as it was sent.";
      marks.set(`/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`, { word: "unknown", tone: "", title });
    }
  }
  for (const { path, code, message } of warnings) {
    if (path !== "") marks.set(path, { word: words[code] ?? code.replaceAll("_", " "), tone: "warn", title: message });
  }
  return marks;
}
