import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { deleteEvent } from "../../server/ingest/delete-events.ts";
import { changeSubscriber } from "../../server/webhooks/subscribers/change-subscriber.ts";
import { removeSubscriber } from "../../server/webhooks/subscribers/remove-subscriber.ts";
import { Authority } from "../support/certificates.ts";
import { deliveriesOf, subscriberView } from "../support/deliveries.ts";
import { faultsFound } from "../support/doctor.ts";
import { eventTools } from "../support/ingest.ts";
import { accept, answering, Receiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";
import { holding, requestOf, WebhooksServer } from "./webhooks-server.ts";

// A test that is late would take the server of all others along.
setDefaultTimeout(180_000);

let server: WebhooksServer;
let receiver: Receiver;
let held: ReturnType<typeof holding>;
beforeAll(async () => {
  server = await WebhooksServer.start({ schedule: "0,0.2,0.2" });
}, 180_000);
beforeEach(async () => {
  held = holding();
  receiver = await Receiver.listen({ behave: held.behave });
});
afterEach(async () => {
  await server.forgetSubscribers();
  await receiver.close();
});
afterAll(() => server?.remove(), 180_000);

const failing = answering("500 Oh", [], "no");
const change = (id: string, change: "pause" | "resume") =>
  changeSubscriber({ ctx: server.installation.ctx, input: { id, change } });

describe("while an attempt is under way", () => {
  test("a subscriber that is paused has it counted, and no other until it is resumed", async () => {
    const { id } = await server.subscriber(receiver.url());
    await server.report();
    await requestOf(receiver, 1);
    await change(id, "pause");
    held.release(failing);
    const waiting = await server.untilState(id, "waiting", 1);
    expect(waiting).not.toHaveProperty("nextAttemptAt");
    expect(await server.report()).toMatchObject({ deliveryCount: 1 });
    // Another is told meanwhile.
    const other = await Receiver.listen();
    await server.subscriber(other.url());
    await server.report();
    await requestOf(other, 1);
    await other.close();
    expect(receiver.requests).toHaveLength(1);
    await change(id, "resume");
    await requestOf(receiver, 4);
    held.release();
    await until(async () => {
      const deliveries = await deliveriesOf(server.installation, id);
      return deliveries.every(({ state }) => state === "delivered") || undefined;
    });
    expect((await deliveriesOf(server.installation, id)).map(({ attempts }) => attempts.length)).toEqual([1, 1, 2]);
  });

  test("a subscriber that is removed leaves nothing behind, and the others are told", async () => {
    const { id } = await server.subscriber(receiver.url());
    const { eventId } = await server.report();
    await requestOf(receiver, 1);
    await removeSubscriber({ ctx: server.installation.ctx, input: { id } });
    held.release(failing);
    const other = await Receiver.listen();
    await server.subscriber(other.url());
    await server.report();
    await requestOf(other, 1);
    await other.close();
    const rows = await server.installation.ctx.store.all(
      `select id from delivery where subscriber_id = $1 union all select id from message where id = $2
       union all select delivery_id from attempt where delivery_id not in (select id from delivery)`,
      [id, eventId],
    );
    expect(rows).toEqual([]);
    expect(receiver.requests).toHaveLength(1);
    expect(await faultsFound(server.installation.folder)).toEqual([]);
  });

  test("an event that is deleted takes its delivery along", async () => {
    const { id } = await server.subscriber(receiver.url());
    const { eventId } = await server.report();
    await requestOf(receiver, 1);
    const { ctx } = server.installation;
    await deleteEvent({ ctx, tools: eventTools(server.installation), input: { id: eventId } });
    held.release(failing);
    await server.report();
    const next = await requestOf(receiver, 2);
    expect(next.headers.get("webhook-id")).not.toBe(eventId);
    held.release();
    await server.untilState(id, "delivered");
    expect(await deliveriesOf(server.installation, id)).toHaveLength(1);
    // What came of the first says nothing any more.
    expect(await subscriberView(server.installation, id)).toMatchObject({ failures: 0 });
  });
});

test("a receiver that hangs has eight at most, and keeps nobody else waiting", async () => {
  const other = await Receiver.listen();
  await server.subscriber(receiver.url());
  await server.subscriber(other.url());
  const reports = Array.from({ length: 40 }, () => server.report());
  await Promise.all(reports);
  await other.until(({ requests }) => requests.length === 40);
  expect(receiver.requests).toHaveLength(8);
  receiver.behave = accept;
  held.release();
  await receiver.until(({ requests }) => requests.length === 40);
  await other.close();
}, 180_000);

describe("SIGTERM", () => {
  const ready = async () => (await fetch(`${server.url}/readyz`).catch(() => undefined))?.status;

  test("ends what is under way and begins nothing more; the next start sends the rest, and nothing twice", async () => {
    const { id } = await server.subscriber(receiver.url());
    for (let n = 0; n < 20; n++) await server.report();
    await requestOf(receiver, 8);
    const ended = server.end("SIGTERM");
    // Until it has heard: what is answered before that makes room for the next.
    await until(async () => (await ready()) !== 200 || undefined);
    held.release();
    expect(await ended).toBe(0);
    expect(receiver.requests).toHaveLength(8);
    expect(await statesOf(id)).toEqual({ delivered: 8, waiting: 12 });
    receiver.behave = accept;
    await server.startAgain();
    await until(async () => (await statesOf(id)).delivered === 20 || undefined);
    expect(receiver.requests).toHaveLength(20);
    expect(new Set(receiver.requests.map(({ headers }) => headers.get("webhook-id"))).size).toBe(20);
  }, 180_000);

  test("while a request is still running, begins no delivery either", async () => {
    const { id } = await server.subscriber(receiver.url());
    for (let n = 0; n < 20; n++) await server.report();
    await requestOf(receiver, 8);
    const ticket = '{"title": "slow"}';
    const slow = connect(Number(new URL(server.url).port), "127.0.0.1");
    const answered = new Promise<string>((resolve) => slow.once("data", (bytes) => resolve(String(bytes))));
    const head = [
      "POST /api/v1/tickets HTTP/1.1",
      "host: a",
      `authorization: Bearer ${server.installation.made.apiToken.token}`,
      "content-type: application/json",
      `content-length: ${ticket.length}`,
    ];
    await new Promise((resolve) => slow.write(`${head.join("\r\n")}\r\n\r\n${ticket.slice(0, 5)}`, resolve));
    // Whoever comes later is answered: the beginning has been read.
    await server.report();
    expect(await ready()).toBe(200);
    const ended = server.end("SIGTERM");
    await until(async () => (await ready()) === 503 || undefined);
    held.release();
    await until(async () => (await statesOf(id)).delivered === 8 || undefined);
    slow.write(ticket.slice(5));
    expect(await answered).toStartWith("HTTP/1.1 201");
    expect(await ended).toBe(0);
    expect(receiver.requests).toHaveLength(8);
    expect(await statesOf(id)).toEqual({ delivered: 8, waiting: 13 });
    await server.startAgain();
  }, 180_000);
});

test("over TLS only to whom --webhook-ca vouches for", async () => {
  const authority = new Authority();
  const secure = await Receiver.listen({ certificate: authority.issue(["IP:127.0.0.1"]) });
  const { id } = await server.subscriber(secure.url());
  await server.report();
  const untrusting = await until(async () => {
    const [delivery] = await deliveriesOf(server.installation, id);
    return (delivery?.attempts.length ?? 0) > 0 ? delivery : undefined;
  });
  expect(untrusting.attempts[0]).toMatchObject({ error: "tls" });
  const file = `${server.installation.folder}/ca.pem`;
  writeFileSync(file, authority.cert);
  await server.end("SIGTERM");
  await server.startAgain({ args: ["--webhook-ca", file] });
  await server.report();
  await server.untilState(id, "delivered");
  await secure.close();
  authority.remove();
}, 180_000);

async function statesOf(id: string): Promise<Record<string, number>> {
  const deliveries = await deliveriesOf(server.installation, id);
  const states = Map.groupBy(deliveries, ({ state }) => state);
  return Object.fromEntries([...states].map(([state, some]) => [state, some.length]));
}
