import { afterEach, beforeEach, expect, test } from "bun:test";
import { attemptAll, deliveriesOf, subscribe, tell } from "../../../test/support/deliveries.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { changeSubscriber } from "../subscribers/change-subscriber.ts";
import { listDeliveries } from "./list-deliveries.ts";

let installation: Installation;
let subscriberId: string;
beforeEach(async () => {
  installation = await install();
  subscriberId = (await subscribe(installation)).id;
});
afterEach(() => installation.remove());

const run = (sql: string) => installation.ctx.store.write((tx) => tx.run(sql));

test("pages have no gap and no repeat among deliveries of one moment, each with its own attempts", async () => {
  const { ctx } = installation;
  const other = await subscribe(installation);
  for (let n = 0; n < 7; n++) await tell(installation);
  await attemptAll(installation, "accepted");
  await run("update delivery set created_at = 1000");
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listDeliveries({ ctx, input: { subscriberId, limit: 3, cursor } });
    seen.push(...page.items.map(({ id }) => id));
    expect(page.items.map(({ attempts }) => attempts.length)).toEqual(page.items.map(() => 1));
    cursor = page.next ?? undefined;
  } while (cursor);
  expect(seen).toEqual(seen.toSorted().reverse());
  expect(new Set(seen).size).toBe(7);
  expect((await deliveriesOf(installation, other.id)).length).toBe(7);
});

test("the next attempt is told for what waits: not before the breaker, and not while nothing is sent", async () => {
  const { ctx } = installation;
  await tell(installation);
  await run("update delivery set next_at = 1000000");
  const next = async () => (await deliveriesOf(installation, subscriberId))[0]?.nextAttemptAt;
  expect(await next()).toBe(new Date(1_000_000).toISOString());
  await run("update subscriber set open_until = 2000000");
  expect(await next()).toBe(new Date(2_000_000).toISOString());
  await changeSubscriber({ ctx, input: { id: subscriberId, change: "pause" } });
  expect(await next()).toBeUndefined();
});

test("an attempt that nobody lived to tell of has no milliseconds", async () => {
  await tell(installation);
  await attemptAll(installation, "failed");
  await run("update attempt set milliseconds = null, status = null, error = 'abandoned', answer = null");
  const [delivery] = await deliveriesOf(installation, subscriberId);
  expect(delivery?.attempts).toEqual([{ at: expect.any(String), error: "abandoned", ms: null }]);
});
