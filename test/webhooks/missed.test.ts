import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { verifyWebhook } from "../../client/src/webhooks.ts";
import { run, runJson } from "../support/binary.ts";
import { deliveriesOf, subscriberView } from "../support/deliveries.ts";
import { attachment, envelope } from "../support/ingest.ts";
import { accept, answering, Receiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";
import { requestOf, WebhooksServer } from "./webhooks-server.ts";

setDefaultTimeout(180_000);

let server: WebhooksServer;
let receiver: Receiver;
beforeAll(async () => {
  server = await WebhooksServer.start({ schedule: "0,600" });
}, 180_000);
beforeEach(async () => {
  receiver = await Receiver.listen();
});
afterEach(async () => {
  await server.forgetSubscribers();
  await receiver.close();
});
afterAll(() => server?.remove(), 180_000);

const enable = (id: string, since: string) =>
  runJson<{ id: string; missed: number }>([
    ...["subscriber", "enable", id, "--since", since],
    ...["--data", server.installation.folder],
  ]);

const crash = {
  reportId: "",
  type: "crash",
  title: "It fell",
  level: "fatal",
  attachments: [{ part: "attachment_0" }],
};
const report = () =>
  server.report(envelope({ ...crash, reportId: crypto.randomUUID() }), attachment("hello", 0, { type: "text/plain" }));

test("what a subscriber missed while it was disabled comes after `subscriber enable --since`", async () => {
  const { id, secret } = await server.subscriber(receiver.url());
  receiver.behave = answering("410 Gone", [], "");
  const since = new Date().toISOString();
  const { eventId: refused } = await report();
  await until(async () => (await subscriberView(server.installation, id))?.state === "disabled" || undefined);
  const missed: string[] = [];
  for (let n = 0; n < 3; n++) {
    const { eventId, deliveryCount } = await report();
    expect(deliveryCount).toBe(0);
    missed.push(eventId);
  }
  receiver.behave = accept;
  // The first one has a delivery, which waits as its schedule says.
  expect(await enable(id, since)).toEqual({ id, missed: 3 });
  await receiver.until(({ requests }) => requests.length === 4);
  const sent = receiver.requests.slice(1);
  expect(sent.map(({ headers }) => headers.get("webhook-id") ?? "").toSorted()).toEqual(missed.toSorted());
  for (const { body, headers } of sent) await verifyWebhook(body, headers, secret);
  const states = await until(async () => {
    const all = await deliveriesOf(server.installation, id);
    return all.every(({ state, eventId }) => state === "delivered" || eventId === refused) ? all : undefined;
  });
  expect(states).toHaveLength(4);
  expect(await enable(id, since)).toEqual({ id, missed: 0 });
});

test("it is the message that would have come", async () => {
  const { id } = await server.subscriber(receiver.url());
  const since = new Date().toISOString();
  await report();
  const first = await requestOf(receiver, 1);
  await server.untilState(id, "delivered");
  const { store } = server.installation.ctx;
  await store.write((tx) => tx.run("delete from message"));
  await store.write((tx) => tx.run("update subscriber set state = 'disabled' where id = $1", [id]));
  expect(await enable(id, since)).toMatchObject({ missed: 1 });
  const second = await requestOf(receiver, 2);
  expect(second.body.toString()).toBe(first.body.toString());
  expect(second.headers.get("webhook-id")).toBe(first.headers.get("webhook-id"));
});

test("a time that is none ends with 2, and one from before what is known of deliveries with 1", async () => {
  const { id } = await server.subscriber(receiver.url());
  await report();
  await server.untilState(id, "delivered");
  await server.installation.ctx.store.write((tx) =>
    tx.run("update subscriber set state = 'disabled', reason = 'a test' where id = $1", [id]),
  );
  const ends = (since: string) =>
    run(["subscriber", "enable", id, "--since", since, "--data", server.installation.folder]);
  expect(await ends("yesterday")).toMatchObject({ code: 2 });
  const future = await ends("2999-01-01");
  expect(future).toMatchObject({ code: 2, stderr: expect.stringContaining("--since lies in the future") });
  const early = await ends("2020-01-01");
  expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining("deliveries are kept for 30 days") });
  expect((await subscriberView(server.installation, id))?.state).toBe("disabled");
});
