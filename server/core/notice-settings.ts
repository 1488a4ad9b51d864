import { Refusal } from "./context.ts";
import { choice, type Setting, whole } from "./setting-kinds.ts";

/** The names of all rules by which notices are raised, in the order of lists; `notices/rules.ts` has the rules. */
export const noticeRuleNames = [
  "storage_refuses",
  "disk_low",
  "backup_old",
  "subscriber_disabled",
  "deliveries_dead",
  "token_refused",
  "credits_out",
  "fatal_new",
] as const;
export type NoticeRuleName = (typeof noticeRuleNames)[number];

const group = "Notices";

/** Settings of the rules by which notices are raised. */
export const noticeSettings = {
  notices_off: {
    title: "Rules that are off",
    group,
    about: "rules that raise no notices, with commas between them; none when empty",
    default: null,
    bounds: noticeRuleNames.join(", "),
    check(value) {
      const names = value.split(",").map((name) => name.trim());
      const unknown = names.find((name) => !(noticeRuleNames as readonly string[]).includes(name));
      if (unknown === undefined) return [...new Set(names)].join(", ");
      throw new Refusal("invalid_input", `there is no rule ${unknown}; the value must be some of ${this.bounds}`);
    },
    read: (stored) => stored,
  } as Setting<string | null>,
  notice_mail: choice("all", ["all", "errors", "none"], {
    title: "Mail to admins",
    group,
    about: "which notices admins are mailed, where a mail server is set: all, those of the level error, or none",
  }),
  notice_disk_percent: whole(
    10,
    { min: 1, max: 90 },
    {
      title: "Free space on the disk, in percent",
      group,
      about: "percent of the disk; with less free a notice is raised",
    },
  ),
  notice_token_refusals: whole(
    100,
    { min: 1, max: 1e9 },
    {
      title: "Refusals of a token in an hour",
      group,
      about: "requests of one token that are refused (401, 403, 429) within an hour; with more a notice is raised",
    },
  ),
  notice_dead_deliveries: whole(
    1,
    { min: 1, max: 100 },
    {
      title: "Deliveries given up in a day",
      group,
      about: "deliveries of one subscriber that are given up within 24 hours, from which on a notice is raised",
    },
  ),
};

/** The names in `notices_off`. */
export function rulesOff(stored: string | null): ReadonlySet<string> {
  return new Set(stored === null ? [] : stored.split(", "));
}
