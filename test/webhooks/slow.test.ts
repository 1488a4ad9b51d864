import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Receiver } from "../support/receiver.ts";
import { holding, WebhooksServer } from "./webhooks-server.ts";

setDefaultTimeout(180_000);

let server: WebhooksServer;
const receivers: Receiver[] = [];
beforeAll(async () => {
  server = await WebhooksServer.start({ schedule: "0,600" });
}, 180_000);
afterAll(async () => {
  await server?.remove();
  for (const receiver of receivers) await receiver.close();
}, 180_000);

async function receiver(options: Parameters<typeof Receiver.listen>[0] = {}) {
  const one = await Receiver.listen(options);
  receivers.push(one);
  return one;
}

test("nine receivers that do not answer delay no other, neither one that is known nor one that is new", async () => {
  const hanging = holding();
  const slow = await Promise.all(Array.from({ length: 9 }, () => receiver({ behave: hanging.behave })));
  const healthy = await receiver();
  await server.subscriber(healthy.url());
  for (const one of slow) await server.subscriber(one.url());
  const heldBack = () => slow.reduce((sum, { requests }) => sum + requests.length, 0);
  // Many more than there are places.
  for (let n = 1; n <= 60; n++) {
    const sent = performance.now();
    await server.report();
    await healthy.until(({ requests }) => requests.length === n);
    expect(performance.now() - sent).toBeLessThan(10_000);
  }
  const fresh = await receiver();
  await server.subscriber(fresh.url());
  const sent = performance.now();
  await server.report();
  await fresh.until(({ requests }) => requests.length === 1);
  await healthy.until(({ requests }) => requests.length === 61);
  expect(performance.now() - sent).toBeLessThan(10_000);
  // They hold what they may, and would hold more.
  expect(heldBack()).toBeWithin(32, 49);
  hanging.release();
});
