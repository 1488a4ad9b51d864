import { isoTime } from "../../core/iso-time.ts";
import type { Rule } from "../rule.ts";

export const storageRefuses: Rule = {
  name: "storage_refuses",
  title: "Storage refuses writes",
  level: "error",
  about:
    "Nothing could be committed, or object storage did not answer. Tickets and reports were answered with 503; nothing that was acknowledged is lost. While nothing can be stored, no message can be either: it is sent when storage works again.",
  remedy: "Run intake doctor: it says what is wrong with the disk, the database or the bucket.",
  everyProcess: true,
  look({ outage, here: { machine, process } }) {
    if (outage === undefined) return [];
    const { since, until, reason } = outage;
    const when = until === undefined ? `since ${isoTime(since)}` : `from ${isoTime(since)} to ${isoTime(until)}`;
    return [
      {
        subject: process,
        projectId: null,
        name: machine || null,
        text: `Storage refuses writes ${when}: ${reason}`,
        path: "/settings/organisation",
        since,
      },
    ];
  },
};
