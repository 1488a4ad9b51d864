import { SsrfGuard } from "../webhooks/addresses/ssrf-guard.ts";
import { type ListedDelivery, listDeliveries } from "../webhooks/deliveries/list-deliveries.ts";
import { replayDead, replayDelivery } from "../webhooks/deliveries/replay.ts";
import { Connections } from "../webhooks/sender/connections.ts";
import { testSubscriber } from "../webhooks/subscribers/test-subscriber.ts";
import { command } from "./command.ts";
import { readMoment } from "./moment.ts";
import { pageOptions, parsed, UsageError, uuid } from "./options.ts";
import { webhookCaOption } from "./trusted-certificates.ts";
import { webhookAllowOption } from "./webhook-allow.ts";
import { withSealing, withStore } from "./with-store.ts";
import { wordId } from "./words.ts";

const id = "0198c0de-0000-7000-8000-000000000001";

/** The commands about deliveries to a subscriber. */
export const deliveryCommands = [
  command({
    name: "subscriber test",
    words: ["ID"],
    summary:
      "send a webhook.test message to a subscriber now and show its answer; exit 1 when the subscriber does not accept it",
    options: { "webhook-allow": webhookAllowOption, "webhook-ca": webhookCaOption },
    example: `intake subscriber test ${id}`,
    async run({ options, words, io }) {
      const input = { id: wordId(words) };
      const addresses = new SsrfGuard({ allow: options["webhook-allow"].flatMap((list) => list.split(",")) });
      const connections = new Connections({ ca: options["webhook-ca"] ?? [] });
      try {
        const result = await withSealing(options.data, (ctx, { sealing }) =>
          testSubscriber({ ctx, tools: { sealing, addresses, connections }, input }),
        );
        io.result(result);
        return result.accepted ? 0 : 1;
      } finally {
        connections.close();
      }
    },
  }),
  command({
    name: "subscriber deliveries",
    words: ["ID"],
    summary: "list the deliveries of a subscriber with their attempts, newest first",
    options: pageOptions,
    example: `intake subscriber deliveries ${id}`,
    notes: "--json shows every attempt with the beginning of its answer.",
    async run({ options, words, io }) {
      const input = { ...options, subscriberId: wordId(words) };
      const page = await withStore(options.data, (ctx) => listDeliveries({ ctx, input }));
      if (options.json) return io.result(page);
      const columns = ["id", "eventId", "state", "createdAt", "nextAttemptAt", "attempts", "last"] as const;
      io.page({ ...page, items: page.items.map(shortly) }, columns);
    },
  }),
  command({
    name: "subscriber replay",
    words: ["ID"],
    summary: "send a delivery again, or every delivery that was given up since a time",
    options: {
      delivery: uuid("D", "only this delivery; one that is still waiting is sent now"),
      since: parsed(
        "T",
        "every delivery that was given up at or after this time, ISO 8601 (UTC unless it has an offset)",
        readMoment,
      ),
    },
    example: `intake subscriber replay ${id} --since 2026-05-01`,
    notes:
      "A delivery keeps its webhook-id, so that receivers recognise what they already have. Deliveries of a deleted report cannot be sent again.",
    async run({ options, words, io }) {
      const subscriberId = wordId(words);
      const { delivery, since } = options;
      if ((delivery === undefined) === (since === undefined))
        throw new UsageError("give either --delivery D or --since T");
      const progress = (count: number) => io.progress(`${count} deliveries to be sent again`);
      const replayed = await withStore(options.data, (ctx) =>
        since === undefined
          ? replayDelivery({ ctx, input: { subscriberId, id: delivery ?? "" } })
          : replayDead({ ctx, input: { subscriberId, since, progress } }),
      );
      io.progress("");
      io.result(replayed);
    },
  }),
];

/** A delivery on one line. */
function shortly({ attempts, ...delivery }: ListedDelivery) {
  const last = attempts.at(-1);
  const outcome = last && [last.status, last.error, last.detail].filter((known) => known !== undefined).join(" ");
  return { nextAttemptAt: undefined, ...delivery, attempts: attempts.length, last: outcome };
}
