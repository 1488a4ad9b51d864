import { afterEach, beforeEach, expect, test } from "bun:test";
import { deliveriesOf, subscribe, tell } from "../../../test/support/deliveries.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { Receiver } from "../../../test/support/receiver.ts";
import { openSealing } from "../../core/open-sealing.ts";
import { SsrfGuard } from "../addresses/ssrf-guard.ts";
import { Connections } from "../sender/connections.ts";
import { attempts } from "./attempt.ts";
import { claim } from "./claim.ts";
import { settle } from "./settle.ts";

let installation: Installation;
const connections = new Connections();
beforeEach(async () => {
  installation = await install();
});
afterEach(async () => {
  connections.close();
  await installation.remove();
});

test.each([
  ["https://127.0.0.1:9/", "dead", "127.0.0.1 is not a public address"],
  ["https://localhost:9/", "waiting", "localhost leads to 127.0.0.1, which is not a public address"],
] as const)("an attempt at %p, which is not allowed any more, says what would allow it", async (url, state, why) => {
  const { store, newId, now } = installation.ctx;
  const { id } = await subscribe(installation, { url });
  await tell(installation);
  const resolve = async () => [{ address: "127.0.0.1" }];
  const tools = { store, connections, now, addresses: new SsrfGuard({ allow: [], resolve }) };
  const attempt = attempts({ ...tools, sealing: await openSealing(installation.folder, store) });
  const claimed = await claim(store, { limit: 1, now: now(), newId });
  const ended = await Promise.all(claimed.map(attempt));
  await settle(store, ended, { now: now(), schedule: [0, 5], random: () => 0.5 });
  const detail = `${why}; --webhook-allow 127.0.0.1/32, for the server and for commands, would allow it`;
  expect(await deliveriesOf(installation, id)).toMatchObject([
    { state, attempts: [{ error: "forbidden_address", detail }] },
  ]);
});

test("a process that others count as dead sends nothing, and its attempt says nothing about the receiver", async () => {
  const { store, newId, now } = installation.ctx;
  const receiver = await Receiver.listen();
  const { id } = await subscribe(installation, { url: receiver.url() });
  await tell(installation);
  const holder = { id: crypto.randomUUID(), alive: () => false };
  const addresses = new SsrfGuard({ allow: ["127.0.0.0/8"] });
  const sealing = await openSealing(installation.folder, store);
  const attempt = attempts({ store, connections, now, addresses, sealing, holder });
  const claimed = await claim(store, { limit: 1, now: now(), newId, holder });
  expect(claimed[0]?.lease).toStartWith(`${holder.id} `);
  const ended = await Promise.all(claimed.map(attempt));
  await settle(store, ended, { now: now(), schedule: [0, 5], random: () => 0.5 });
  expect(receiver.requests).toEqual([]);
  expect(await deliveriesOf(installation, id)).toMatchObject([
    { state: "waiting", attempts: [{ error: "abandoned", ms: null }] },
  ]);
  await receiver.close();
});
