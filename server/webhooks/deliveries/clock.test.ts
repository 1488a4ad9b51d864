import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  backlog,
  byClock,
  deliveriesOf,
  ended,
  subscribe,
  subscriberView,
  tell,
} from "../../../test/support/deliveries.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { until } from "../../../test/support/until.ts";
import type { Claimed } from "./claim.ts";
import { beginMove, finishMove } from "./move-moments.ts";
import { type Attempted, settleAbandoned } from "./settle.ts";
import { DeliveryWorker } from "./worker.ts";

const second = 1_000;
const day = 86_400 * second;
const schedule = [0, 5, 300];

let installation: Installation;
let id: string;
let now: number;
let passed: number;
let worker: DeliveryWorker;
let underWay: { claimed: Claimed; end: (outcome: Attempted["outcome"]) => void }[];
let begun: number;
let settled: number;

beforeEach(async () => {
  now = Date.UTC(2026, 4, 1);
  passed = 0;
  installation = byClock(await install(), () => now);
  id = (await subscribe(installation)).id;
  [underWay, begun, settled] = [[], 0, 0];
  worker = newWorker();
  await worker.start({ alone: true });
});
afterEach(async () => {
  await stop();
  await installation.remove();
});

function newWorker() {
  const { store, newId } = installation.ctx;
  return new DeliveryWorker({
    store,
    schedule,
    newId,
    now: () => now,
    monotonic: () => passed,
    settled: () => settled++,
    attempt: (claimed) => {
      const { promise, resolve } = Promise.withResolvers<Attempted>();
      const startedAt = now;
      underWay.push({ claimed, end: (outcome) => resolve(ended(claimed, outcome, { startedAt })) });
      begun++;
      return promise;
    },
  });
}

async function stop() {
  const stopping = worker.stop();
  for (const { end } of underWay.splice(0)) end("failed");
  await stopping;
}

/** Lets time pass, which the clock shows. */
function pass(milliseconds: number) {
  now += milliseconds;
  passed += milliseconds;
  worker.wake();
}

/** Sets the clock while no time passes. Resolves once the worker has noticed. */
async function set(milliseconds: number) {
  const before = await moments();
  now += milliseconds;
  worker.wake();
  await until(async () => {
    const after = await moments();
    return (after.length > 0 && after.every((one, i) => one === (before[i] ?? 0) + milliseconds)) || undefined;
  });
}

/** All times that something waits for, grouped by kind. */
async function moments(): Promise<number[]> {
  const rows = await installation.ctx.store.all<{ at: number }>(
    `select lease_until as at, 1 as kind, id from delivery where state = 'leased'
     union all select next_at, 2, id from delivery where state = 'waiting' and tries > 0
     union all select failing_since, 3, id from subscriber where failing_since is not null
     union all select open_until, 4, id from subscriber where open_until is not null order by kind, id`,
  );
  return rows.map(({ at }) => at);
}

const untilBegun = (count: number) => until(() => begun >= count || undefined);
async function end(outcome: Attempted["outcome"], count = underWay.length) {
  const wanted = settled + count;
  for (const one of underWay.splice(0, count)) one.end(outcome);
  await until(() => settled >= wanted || undefined);
}
const abandoned = () => settleAbandoned(installation.ctx.store, { now, schedule, random: () => 0.5, all: false });
const view = () => subscriberView(installation, id);

describe("a clock that is set while the server runs", () => {
  test.each([3 * day, -10 * day])("by %p in the middle of an attempt does not send it twice", async (by) => {
    await tell(installation);
    worker.wake();
    await untilBegun(1);
    await set(by);
    expect(await abandoned()).toEqual([]);
    pass(15 * second);
    await end("accepted");
    expect([begun, settled]).toEqual([1, 1]);
    const [delivery] = await deliveriesOf(installation, id);
    // The attempt began fifteen seconds ago by the present clock.
    expect(delivery).toMatchObject({
      state: "delivered",
      attempts: [{ at: new Date(now - 15 * second).toISOString() }],
    });
  });

  test.each([3 * day, -10 * day])("by %p leaves a breaker open for as long as before", async (by) => {
    await backlog(installation, id, 10);
    worker.wake();
    await untilBegun(8);
    await end("failed", 5);
    await end("failed");
    await set(by);
    const before = begun;
    pass(29 * second);
    await installation.ctx.store.write(function* () {});
    expect(begun).toBe(before);
    pass(second);
    await untilBegun(before + 1);
  });

  test.each([6 * day, -6 * day])("by %p disables nobody, and its retry comes when it would have", async (by) => {
    await tell(installation);
    worker.wake();
    await untilBegun(1);
    await end("failed");
    await set(by);
    pass(3 * second);
    await installation.ctx.store.write(function* () {});
    expect(begun).toBe(1);
    pass(3 * second);
    await untilBegun(2);
    await end("failed");
    expect(await view()).toMatchObject({ state: "active", failures: 2 });
    expect(Date.parse((await view())?.failingSince ?? "")).toBe(now - 6 * second);
  });

  test("moves nothing that was told since: it is sent at once", async () => {
    await tell(installation);
    worker.wake();
    await untilBegun(1);
    now += 3 * day;
    await tell(installation);
    worker.wake();
    await untilBegun(2);
    now -= 5 * day;
    await tell(installation);
    worker.wake();
    await untilBegun(3);
  });
});

describe("while the server does not run", () => {
  test.each([6 * day, 400 * day])("%p that pass, or seem to, are no time in which a subscriber failed", async (by) => {
    await tell(installation);
    worker.wake();
    await untilBegun(1);
    await end("failed");
    await stop();
    now += by;
    worker = newWorker();
    await worker.start({ alone: true });
    // Deliveries that became due in the meantime are sent at once.
    await untilBegun(2);
    await end("failed");
    expect(await view()).toMatchObject({ state: "active", failures: 2 });
  });

  test.each([-20 * 3_600 * second, -10 * day])("a clock that is set by %p keeps nothing back", async (by) => {
    await tell(installation);
    worker.wake();
    await untilBegun(1);
    await end("failed");
    await stop();
    now += by;
    worker = newWorker();
    await worker.start({ alone: true });
    pass(6 * second);
    await untilBegun(2);
  });
});

test.each([2 * day, -2 * day])("many that wait are moved by %p, each once and in their order", async (by) => {
  const { store } = installation.ctx;
  await store.write((tx) => tx.run("update subscriber set state = 'paused'"));
  await backlog(installation, id, 1_300);
  // More deliveries than one transaction moves, some of them with the same time.
  await store.write((tx) => tx.run("update delivery set tries = 1, next_at = round(next_at / 700) * 700 + 600000"));
  const order = () =>
    store.all<{ id: string; next_at: number }>("select id, next_at from delivery order by next_at, id");
  const before = await order();
  await beginMove(store, { by, now: now + by });
  await finishMove(store);
  expect(await order()).toEqual(before.map((row) => ({ ...row, next_at: row.next_at + by })));
});

describe("a process that is killed after the clock was set", () => {
  /**
   * Lets this many writes through and leaves every later one unanswered, as if the process had been killed. Resolves with
   * the first unanswered write.
   */
  function killAfter(writes: number): Promise<void> {
    const { store } = installation.ctx;
    const write = store.write.bind(store);
    const killed = Promise.withResolvers<void>();
    let left = writes;
    store.write = async (one) => {
      if (left > 0) {
        left--;
        return write(one);
      }
      killed.resolve();
      return new Promise(() => {});
    };
    return killed.promise.then(() => {
      store.write = write;
    });
  }

  test.each([-2 * day, 2 * day].flatMap((by) => [0, 1, 2, 3, 4, 5, 6, 7].map((writes) => [by, writes] as const)))(
    "by %p, behind write %p, has moved everything once after its next start",
    async (by, writes) => {
      const { store } = installation.ctx;
      // One write begins the move, five move the waiting deliveries, one ends the move; the next one would claim.
      const { id: other } = await subscribe(installation);
      await store.write((tx) => tx.run("update subscriber set state = 'paused', failing_since = $1", [now - 1]));
      await backlog(installation, id, 1_300);
      await backlog(installation, other, 600);
      await store.write((tx) => tx.run("update delivery set tries = 1, next_at = round(next_at / 700) * 700 + 600000"));
      const order = () =>
        store.all<{ id: string; next_at: number }>("select id, next_at from delivery order by next_at, id");
      const [waits, since] = [await order(), await moments()];
      const killed = killAfter(writes);
      now += by;
      worker.wake();
      await killed;
      worker = newWorker();
      await worker.start({ alone: true });
      // Killed before anything was written: a clock that is ahead then counts as time in which nothing ran.
      const kept = by > 0 && writes === 0;
      expect(await order()).toEqual(waits.map((row) => ({ ...row, next_at: row.next_at + (kept ? 0 : by) })));
      expect((await moments()).at(-1)).toBe((since.at(-1) ?? 0) + by);
    },
  );
});

test("a move that fails is tried again before anything is claimed", async () => {
  const { store } = installation.ctx;
  await tell(installation);
  worker.wake();
  await untilBegun(1);
  await end("failed");
  const [retry] = await moments();
  const write = store.write.bind(store);
  let failures = 0;
  store.write = async (one) => {
    if (failures === 2) return write(one);
    failures++;
    throw new Error("the disk is full");
  };
  now -= 2 * day;
  worker.wake();
  await until(async () => (await moments())[0] !== retry || undefined);
  expect((await moments())[0]).toBe((retry ?? 0) - 2 * day);
  expect(begun).toBe(1);
});
