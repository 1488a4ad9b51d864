import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { backlog, byClock, ended, subscribe, tell } from "../../../test/support/deliveries.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { changeSubscriber } from "../subscribers/change-subscriber.ts";
import { type Claimed, claim } from "./claim.ts";
import { settle } from "./settle.ts";

let installation: Installation;
let now: number;
beforeEach(async () => {
  now = Date.UTC(2026, 4, 1);
  installation = byClock(await install(), () => now);
});
afterEach(() => installation.remove());

const claimed = (limit = 64) => claim(installation.ctx.store, { limit, now, newId: installation.ctx.newId });
const end = (ones: readonly Claimed[], outcome: "accepted" | "failed" = "accepted") => {
  const attempts = ones.map((one) => ended(one, outcome, { startedAt: now }));
  return settle(installation.ctx.store, attempts, { now, schedule: [0, 1, 1], random: () => 0.5 });
};
const run = (sql: string, params: (string | number)[] = []) =>
  installation.ctx.store.write((tx) => tx.run(sql, params));
const subscribers = async (count: number) => {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push((await subscribe(installation)).id);
  return ids;
};
const countBy = (ones: readonly Claimed[]) =>
  new Map([...Map.groupBy(ones, ({ subscriberId }) => subscriberId)].map(([id, some]) => [id, some.length]));

test("what is due is taken once, with a lease of its own for a minute", async () => {
  const [id] = await subscribers(1);
  const messageId = await tell(installation);
  const [one, ...more] = await claimed();
  expect(one).toEqual({
    id: expect.any(String),
    messageId,
    subscriberId: id ?? "",
    lease: expect.any(String),
    tries: 0,
    number: 1,
  });
  expect(more).toEqual([]);
  expect(await installation.ctx.store.all("select state, lease, lease_until from delivery")).toEqual([
    { state: "leased", lease: one?.lease ?? "", lease_until: now + 60_000 },
  ]);
  expect(await claimed()).toEqual([]);
});

test("what is due later is left, to the millisecond", async () => {
  await subscribers(1);
  await tell(installation);
  now -= 1;
  expect(await claimed()).toEqual([]);
  now += 1;
  expect(await claimed()).toHaveLength(1);
});

describe("of one subscriber", () => {
  test("eight are under way at most, the oldest due first", async () => {
    const [id = ""] = await subscribers(1);
    await backlog(installation, id, 20);
    const first = await claimed();
    const rows = await installation.ctx.store.all<{ id: string; next_at: number }>(
      "select id, next_at from delivery order by next_at",
    );
    const dueAt = (ones: readonly Claimed[]) =>
      rows.filter((row) => ones.some(({ id }) => id === row.id)).map(({ next_at }) => next_at - now);
    expect(dueAt(first)).toEqual([-19, -18, -17, -16, -15, -14, -13, -12]);
    expect(await claimed()).toEqual([]);
    await end(first.slice(0, 3));
    expect(dueAt(await claimed())).toEqual([-11, -10, -9]);
  });

  test("nothing is taken while it is paused or disabled, and everything is there afterwards", async () => {
    const { ctx } = installation;
    const [id = ""] = await subscribers(1);
    await tell(installation);
    await changeSubscriber({ ctx, input: { id, change: "pause" } });
    expect(await claimed()).toEqual([]);
    await run("update subscriber set state = 'disabled'");
    expect(await claimed()).toEqual([]);
    await changeSubscriber({ ctx, input: { id, change: "enable" } });
    expect(await claimed()).toMatchObject([{ tries: 0, number: 1 }]);
  });

  test("nothing is taken while its breaker is open, then one at a time until one was accepted", async () => {
    const [id = ""] = await subscribers(1);
    await backlog(installation, id, 30);
    await end((await claimed()).slice(0, 5), "failed");
    now += 29_999;
    expect(await claimed()).toEqual([]);
    now += 1;
    // Three attempts that began before the breaker opened are still in flight.
    expect(await claimed()).toEqual([]);
    await run("update delivery set state = 'dead', ended_at = 0, lease = null where state = 'leased'");
    const probe = await claimed();
    expect(probe).toHaveLength(1);
    expect(await claimed()).toEqual([]);
    await end(probe, "failed");
    now += 59_999;
    expect(await claimed()).toEqual([]);
    now += 1;
    await end(await claimed());
    expect(await claimed()).toHaveLength(8);
  });
});

describe("of many subscribers", () => {
  test("one with 10,000 waiting delays nobody, whether it came first or last", async () => {
    const ids = await subscribers(5);
    for (const busy of [ids[0] ?? "", ids[4] ?? ""]) {
      await run("delete from delivery");
      await backlog(installation, busy, 10_000);
      await tell(installation);
      const counts = countBy(await claimed(5));
      expect(ids.map((id) => counts.get(id))).toEqual([1, 1, 1, 1, 1]);
    }
  });

  test("they are served in turn, as many of each", async () => {
    const ids = await subscribers(5);
    for (const id of ids) await backlog(installation, id, 20);
    const counts = countBy(await claimed(17));
    expect(ids.map((id) => counts.get(id) ?? 0).toSorted()).toEqual([3, 3, 3, 4, 4]);
  });

  test("a full house lets the next one in: a place that is free goes to whoever has fewest", async () => {
    const ids = await subscribers(8);
    for (const id of ids) await backlog(installation, id, 100);
    const underWay = await claimed();
    expect(underWay).toHaveLength(64);
    const [late = ""] = await subscribers(1);
    await backlog(installation, late, 3);
    for (let n = 0; n < 3; n++) {
      await end(underWay.splice(0, 1));
      expect(await claimed(1)).toMatchObject([{ subscriberId: late }]);
    }
    // This subscriber has no more deliveries; the next place goes to one of the others.
    await end(underWay.splice(0, 1));
    expect(ids).toContain((await claimed(1))[0]?.subscriberId ?? "");
  });

  test("of more subscribers than there are places each has its turn", async () => {
    const ids = await subscribers(50);
    ids.push(
      ...(await Promise.all(Array.from({ length: 20 }, () => subscribe(installation, { projectId: null })))).map(
        ({ id }) => id,
      ),
    );
    for (const id of ids) await backlog(installation, id, 10);
    const underWay = await claimed();
    const served = new Set(underWay.map(({ subscriberId }) => subscriberId));
    for (let n = 0; n < 300; n++) {
      await end(underWay.splice(0, 1));
      const [next] = await claimed(1);
      if (!next) throw new Error("a place stays free");
      served.add(next.subscriberId);
      underWay.push(next);
    }
    expect(served.size).toBe(70);
  });

  test("those that hang keep nobody else waiting", async () => {
    const [hanging = "", healthy = ""] = await subscribers(2);
    await backlog(installation, hanging, 100);
    await claimed();
    await backlog(installation, healthy, 100);
    for (let n = 0; n < 5; n++) {
      const some = await claimed(8);
      expect(countBy(some)).toEqual(new Map([[healthy, 8]]));
      await end(some);
    }
  });
});
