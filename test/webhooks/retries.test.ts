import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { verifyWebhook } from "../../client/src/webhooks.ts";
import type { ListedDelivery } from "../../server/webhooks/deliveries/list-deliveries.ts";
import { replayDead } from "../../server/webhooks/deliveries/replay.ts";
import { deliveriesOf, subscriberView } from "../support/deliveries.ts";
import { accept, answering, type Behaviour, Receiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";
import { inOrder, requestOf, WebhooksServer } from "./webhooks-server.ts";

// A test that is late would take the server of all others along.
setDefaultTimeout(180_000);

let server: WebhooksServer;
let receiver: Receiver;
beforeAll(async () => {
  server = await WebhooksServer.start({ schedule: "0,0.2,0.2" });
}, 180_000);
beforeEach(async () => {
  receiver = await Receiver.listen();
});
afterEach(async () => {
  await server.forgetSubscribers();
  await receiver.close();
});
afterAll(() => server?.remove(), 180_000);

const failing = answering("500 Oh", [], "no");
const startsOf = ({ attempts }: ListedDelivery) => attempts.map(({ at }) => Date.parse(at));

test.each([
  ["closed", (socket) => socket.destroy()],
  ["reset", (socket) => void socket.resetAndDestroy()],
] as [string, Behaviour][])(
  "what failed, and what was sent on a connection that was then %s, comes again as the schedule says",
  async (_how, hangUp) => {
    receiver.behave = inOrder(failing, hangUp, accept);
    const { id, secret } = await server.subscriber(receiver.url());
    const { eventId } = await server.report();
    const delivery = await server.untilState(id, "delivered");
    expect(delivery).toMatchObject({
      eventId,
      attempts: [{ status: 500, error: "status", answer: "no" }, { error: "connection" }, { status: 200 }],
    });
    // The second came on the connection of the first.
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([0, 0, 1]);
    const [first = 0, second = 0, third = 0] = startsOf(delivery);
    expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(160);
    expect(receiver.requests).toHaveLength(3);
    for (const { headers, body } of receiver.requests) {
      expect(headers.get("webhook-id")).toBe(eventId);
      expect(body.equals(receiver.requests[0]?.body ?? Buffer.alloc(0))).toBe(true);
      await verifyWebhook(body, headers, secret);
    }
    expect(await subscriberView(server.installation, id)).toMatchObject({ state: "active", failures: 0 });
  },
);

test("after as many attempts as the schedule has it is dead; replayed, it goes through the schedule again", async () => {
  receiver.behave = inOrder(failing, failing, failing, failing, accept);
  const { id } = await server.subscriber(receiver.url());
  const { eventId } = await server.report();
  const dead = await server.untilState(id, "dead");
  expect(dead.attempts.map(({ status }) => status)).toEqual([500, 500, 500]);
  const { ctx } = server.installation;
  expect(await replayDead({ ctx, input: { subscriberId: id, since: 0 } })).toEqual({ replayed: 1 });
  const delivered = await server.untilState(id, "delivered");
  expect(delivered.attempts.map(({ status }) => status)).toEqual([500, 500, 500, 500, 200]);
  expect(receiver.requests.map(({ headers }) => headers.get("webhook-id"))).toEqual(Array(5).fill(eventId));
});

describe("Retry-After", () => {
  test.each([
    ["429 Too Many Requests", "2", 2_000],
    ["503 Busy", "3600", 3_600_000],
    ["503 Busy", "9999999999", 86_400_000],
    ["429 Too Many Requests", "a date in two hours", 7_180_000],
  ])("of %s: %s is waited for", async (status, wait, milliseconds) => {
    const inTwoHours = () => new Date(Date.now() + 7_200_000).toUTCString();
    const said = wait.startsWith("a date") ? inTwoHours() : wait;
    receiver.behave = answering(status, [`retry-after: ${said}`], "");
    const { id } = await server.subscriber(receiver.url());
    await server.report();
    const delivery = await server.untilState(id, "waiting", 1);
    const waits = Date.parse(delivery.nextAttemptAt ?? "") - (startsOf(delivery)[0] ?? 0);
    expect(waits).toBeWithin(milliseconds, milliseconds + 30_000);
  });

  test.each([
    ["500 Oh", "3600"],
    ["429 Too Many Requests", "soon"],
    ["503 Busy", "-5"],
  ])("of %s: %s is not", async (status, wait) => {
    receiver.behave = inOrder(answering(status, [`retry-after: ${wait}`], ""), accept);
    const { id } = await server.subscriber(receiver.url());
    await server.report();
    await server.untilState(id, "delivered");
  });
});

test("a redirect is a failure, and nobody goes there", async () => {
  const elsewhere = await Receiver.listen();
  const statuses = ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"];
  const away = statuses.map((status) => answering(status, [`location: ${elsewhere.url()}`], ""));
  receiver.behave = (socket, request) => away[Number(request.line.split(/[/ ]/)[3])]?.(socket, request);
  const ids: string[] = [];
  for (const i of statuses.keys()) ids.push((await server.subscriber(`${receiver.url()}/${i}`)).id);
  await server.report();
  for (const id of ids) {
    const { attempts } = await server.untilState(id, "dead");
    expect(attempts.map(({ error }) => error)).toEqual(["redirect", "redirect", "redirect"]);
  }
  expect(elsewhere.connections).toBe(0);
  await elsewhere.close();
});

test("410 disables the subscriber, and no other", async () => {
  const other = await Receiver.listen();
  receiver.behave = answering("410 Gone", [], "");
  const gone = await server.subscriber(receiver.url());
  const healthy = await server.subscriber(other.url());
  await server.report();
  await until(async () => (await subscriberView(server.installation, gone.id))?.state === "disabled" || undefined);
  expect(await server.report()).toMatchObject({ deliveryCount: 1 });
  await other.until(({ requests }) => requests.length === 2);
  expect(receiver.requests).toHaveLength(1);
  expect((await deliveriesOf(server.installation, gone.id)).map(({ state }) => state)).toEqual(["waiting"]);
  expect((await subscriberView(server.installation, healthy.id))?.state).toBe("active");
  await other.close();
});

test("five failures in a row open the breaker, and what waits behind it spends no attempt", async () => {
  receiver.behave = failing;
  const { id } = await server.subscriber(receiver.url());
  const other = await Receiver.listen();
  await server.subscriber(other.url());
  await server.report();
  await server.untilState(id, "dead");
  // Two of them open it: three and two attempts.
  await server.report();
  await server.untilState(id, "waiting", 2);
  const opened = Date.now();
  await server.report();
  await other.until(({ requests }) => requests.length === 3);
  const [behind] = await deliveriesOf(server.installation, id);
  expect(behind).toMatchObject({ state: "waiting", attempts: [] });
  expect(Date.parse(behind?.nextAttemptAt ?? "") - opened).toBeWithin(25_000, 30_001);
  expect(receiver.requests).toHaveLength(5);
  expect(await subscriberView(server.installation, id)).toMatchObject({ state: "active", failures: 5 });
  await other.close();
});

test("nobody is there: it is tried again, and comes when somebody is", async () => {
  const { port } = receiver;
  await receiver.close();
  const { id } = await server.subscriber(`http://127.0.0.1:${port}/hook`);
  await server.report();
  await until(async () => (await deliveriesOf(server.installation, id))[0]?.attempts.length === 1 || undefined);
  receiver = await Receiver.listen({ port });
  const { attempts } = await server.untilState(id, "delivered");
  expect(attempts[0]).toMatchObject({ error: "connection" });
  await requestOf(receiver, 1);
});
