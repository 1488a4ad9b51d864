import { isThere } from "../../webhooks/messages/sealed-columns.ts";
import type { Rule } from "../rule.ts";
import { bySubscriber, type FoundSubscriber } from "./found-subscriber.ts";

/** Further ones are raised as these are cleared. */
const foundMax = 100;

export const subscriberDisabled: Rule = {
  name: "subscriber_disabled",
  title: "A subscriber was disabled",
  level: "error",
  about: "It failed for 120 hours, or answered 410. It gets nothing any more, and misses what happens meanwhile.",
  remedy: "Mend the receiver, then enable the subscriber on its page and send what it missed.",
  async look({ store }) {
    const rows = await store.all<FoundSubscriber & { reason: string | null }>(
      `select id, name, url, project_id, reason from subscriber where state = 'disabled' and ${isThere("subscriber")}
       order by id limit ${foundMax}`,
    );
    return rows.map((row) => bySubscriber(row, `It is disabled: ${row.reason ?? "for a reason that is not known"}.`));
  },
};
