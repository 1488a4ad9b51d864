import { afterEach, beforeEach, expect, test } from "bun:test";
import { backlog, subscribe } from "../../../test/support/deliveries.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { queryPlan } from "../../../test/support/query-plan.ts";
import { browseDeliveries, type DeliveryState } from "./browse-deliveries.ts";

const count = 120;
let installation: Installation;
let subscriberId: string;

beforeEach(async () => {
  installation = await install();
  ({ id: subscriberId } = await subscribe(installation));
  // All deliveries have the same time, so that only the id orders them.
  await backlog(installation, subscriberId, count);
});

afterEach(() => installation.remove());

async function walk(state?: DeliveryState) {
  const { ctx } = installation;
  const seen: { id: string; nextAt: string | null }[] = [];
  let cursor: string | undefined;
  do {
    const page = await browseDeliveries({ ctx, input: { subscriberId, limit: 50, cursor, state } });
    seen.push(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return seen;
}

function run(sql: string) {
  return installation.ctx.store.write((tx) => tx.run(sql));
}

test("pages join: all of them newest first, those that wait in the order in which they leave", async () => {
  const all = (await walk()).map(({ id }) => id);
  expect([all.length, new Set(all).size]).toEqual([count, count]);
  expect(all).toEqual(all.toSorted().toReversed());
  const times = (await walk("waiting")).map(({ nextAt }) => nextAt ?? "");
  expect([times.length, new Set(times).size]).toEqual([count, count]);
  expect(times).toEqual(times.toSorted());
});

test("what was attempted stands before what is held, however new that is, and pages join", async () => {
  const attempted = "select id from delivery order by id limit 70";
  await run(`update delivery set attempts = 2, next_at = next_at + 1e6 where id in (${attempted})`);
  await run(
    `update delivery set state = 'delivered', ended_at = 1 where id in (select id from delivery order by id limit 10 offset 60)`,
  );
  await run(
    "update delivery set state = 'leased', lease = 'x', lease_until = 1 where id in (select max(id) from delivery)",
  );
  const { store } = installation.ctx;
  const ids = (await store.all<{ id: string }>("select id from delivery order by id")).map(({ id }) => id);
  const all = (await walk()).map(({ id }) => id);
  // One delivery is in flight, and the waiting ones without an attempt are sent in this order.
  const held = ids.slice(70, -1).toReversed();
  expect(all).toEqual([ids.at(-1) ?? "", ...ids.slice(0, 70).toReversed(), ...held]);
  const plan = await queryPlan(
    store,
    `select d.id from delivery d where d.subscriber_id in ('a')
     and (d.attempts > 0 or d.state <> 'waiting') and (d.created_at, d.id) < (1, 'a') order by d.created_at desc, d.id desc`,
  );
  expect(plan.join()).toContain("delivery_attempted");
});

test("a cursor of one order is none of another", async () => {
  const { ctx } = installation;
  const { next } = await browseDeliveries({ ctx, input: { subscriberId, limit: 50 } });
  const input = { subscriberId, limit: 50, cursor: next ?? "" };
  expect(browseDeliveries({ ctx, input: { ...input, state: "dead" } })).rejects.toThrow("cursor");
});

test("each state has its own, and another subscriber's are nowhere", async () => {
  await run(
    "update delivery set state = 'dead', ended_at = 7 where id in (select id from delivery order by id limit 60)",
  );
  await run(
    "update delivery set state = 'delivered', ended_at = 8 where id in (select id from delivery order by id desc limit 10)",
  );
  const { id: other } = await subscribe(installation);
  await backlog(installation, other, 3);
  expect([(await walk("dead")).length, (await walk("delivered")).length, (await walk("waiting")).length]).toEqual([
    60, 10, 50,
  ]);
});

test("while nothing is sent to the subscriber nothing has a next time", async () => {
  await run("update subscriber set state = 'paused'");
  expect(new Set((await walk()).map(({ nextAt }) => nextAt))).toEqual(new Set([null]));
});
