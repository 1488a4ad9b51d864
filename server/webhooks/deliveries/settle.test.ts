import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  backlog,
  byClock,
  deliveriesOf,
  ended,
  rowCount,
  subscribe,
  subscriberView,
  tell,
} from "../../../test/support/deliveries.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { changeSubscriber } from "../subscribers/change-subscriber.ts";
import { removeSubscriber } from "../subscribers/remove-subscriber.ts";
import { type Claimed, claim } from "./claim.ts";
import { type Attempted, settle, settleAbandoned } from "./settle.ts";

const start = Date.UTC(2026, 4, 1);
const hour = 3_600_000;

let installation: Installation;
let subscriberId: string;
let now: number;
beforeEach(async () => {
  now = start;
  installation = byClock(await install(), () => now);
  subscriberId = (await subscribe(installation)).id;
});
afterEach(() => installation.remove());

const options = () => ({ now, schedule: [0, 5, 300], random: () => 0.5 });
const claimed = () => claim(installation.ctx.store, { limit: 64, now, newId: installation.ctx.newId });
const settled = (...attempts: Attempted[]) => settle(installation.ctx.store, attempts, options());
const end = (one: Claimed, outcome: Attempted["outcome"], more: Partial<Attempted> = {}) =>
  settled(ended(one, outcome, { startedAt: now, ...more }));
const only = async () => {
  const [one] = await claimed();
  if (!one) throw new Error("nothing is due");
  return one;
};
const told = async () => {
  await tell(installation);
  return only();
};
const view = () => subscriberView(installation, subscriberId);
const delivery = async () => (await deliveriesOf(installation, subscriberId))[0];
const at = (moment: number) => new Date(moment).toISOString();
const everything = () =>
  Promise.all(
    ["delivery", "attempt", "subscriber"].map((table) => installation.ctx.store.all(`select * from ${table}`)),
  );

describe("an attempt that was accepted", () => {
  test("ends the delivery, and is written down", async () => {
    expect(await end(await told(), "accepted")).toMatchObject([{ state: "delivered" }]);
    expect(await delivery()).toMatchObject({
      state: "delivered",
      attempts: [{ at: at(start), status: 200, ms: 12, answer: "an answer" }],
    });
    now += 1e12;
    expect(await claimed()).toEqual([]);
  });

  test("makes the subscriber as if nothing had ever failed", async () => {
    await backlog(installation, subscriberId, 6);
    const all = await claimed();
    for (const one of all.slice(0, 5)) await end(one, "failed");
    expect(await view()).toMatchObject({ failures: 5, failingSince: at(start) });
    now += 1_000;
    await end(all[5] as Claimed, "accepted");
    expect(await view()).toMatchObject({ failures: 0, failingSince: null, lastSuccessAt: at(now) });
    expect(await installation.ctx.store.all("select openings, open_until from subscriber")).toEqual([
      { openings: 0, open_until: null },
    ]);
  });
});

describe("an attempt that failed", () => {
  test("is followed by the next of the schedule, and the last one by none", async () => {
    await tell(installation);
    for (const seconds of [5, 300]) {
      expect(await end(await only(), "failed")).toMatchObject([{ state: "waiting" }]);
      expect(await delivery()).toMatchObject({ nextAttemptAt: at(now + seconds * 1_000) });
      now += seconds * 1_000;
    }
    expect(await end(await only(), "failed")).toMatchObject([{ state: "dead" }]);
    expect(await delivery()).toMatchObject({ state: "dead", attempts: [{}, {}, {}] });
    now += 1e12;
    expect(await claimed()).toEqual([]);
  });

  test("and was told to wait, waits so long if that is longer", async () => {
    await tell(installation);
    await end(await only(), "failed", { retryAfterMs: 1_000 });
    expect(await delivery()).toMatchObject({ nextAttemptAt: at(now + 5_000) });
    now += 5_000;
    await end(await only(), "failed", { retryAfterMs: hour });
    expect(await delivery()).toMatchObject({ nextAttemptAt: at(now + hour) });
  });

  test("for good is the last one", async () => {
    expect(await end(await told(), "hopeless", { error: "bad_url", status: null })).toMatchObject([{ state: "dead" }]);
    expect(await delivery()).toMatchObject({ state: "dead", attempts: [{ error: "bad_url" }] });
    expect(await view()).toMatchObject({ state: "active", failures: 1 });
  });

  test("disables the subscriber after 120 hours without a success, and not before; what waits goes on waiting", async () => {
    await end(await told(), "failed");
    now = start + 120 * hour - 1;
    expect(await end(await only(), "failed")).toMatchObject([{ disabled: undefined }]);
    now = start + 120 * hour + 300_000;
    const last = await only();
    await tell(installation);
    expect(await end(last, "failed")).toMatchObject([{ disabled: "no success for 120 hours" }]);
    expect(await view()).toMatchObject({ state: "disabled", reason: "no success for 120 hours", waiting: 1 });
    expect(await claimed()).toEqual([]);
    await changeSubscriber({ ctx: installation.ctx, input: { id: subscriberId, change: "enable" } });
    expect(await claimed()).toHaveLength(1);
  });
});

describe("410", () => {
  test("disables the subscriber at once, and its deliveries wait until it is enabled", async () => {
    await backlog(installation, subscriberId, 3);
    const [one, other] = await claimed();
    expect(await end(one as Claimed, "gone")).toMatchObject([{ state: "waiting", disabled: "answered 410 Gone" }]);
    // The subscriber is reported as disabled once, and the first reason stays.
    expect(await end(other as Claimed, "gone")).toMatchObject([{ state: "waiting", disabled: undefined }]);
    expect(await view()).toMatchObject({ state: "disabled", reason: "answered 410 Gone" });
    now += hour;
    expect(await claimed()).toEqual([]);
  });

  test("disables a paused one too, and changes nothing of one that is being removed", async () => {
    await backlog(installation, subscriberId, 2);
    const [one, other] = await claimed();
    await changeSubscriber({ ctx: installation.ctx, input: { id: subscriberId, change: "pause" } });
    await end(one as Claimed, "gone");
    expect(await view()).toMatchObject({ state: "disabled", reason: "answered 410 Gone" });
    await installation.ctx.store.write((tx) => tx.run("update subscriber set reason = 'being removed'"));
    await end(other as Claimed, "gone");
    expect(await view()).toMatchObject({ state: "disabled", reason: "being removed" });
  });
});

describe("an attempt whose lease is over", () => {
  const abandon = (all = false) => settleAbandoned(installation.ctx.store, { ...options(), all });

  test("is one that nobody knows the end of: a row without an answer, a try that is spent", async () => {
    await told();
    now += 59_999;
    expect(await abandon()).toEqual([]);
    now += 1;
    expect(await abandon()).toMatchObject([{ state: "waiting", attempted: { error: "abandoned" } }]);
    expect(await delivery()).toMatchObject({
      state: "waiting",
      nextAttemptAt: at(now + 5_000),
      attempts: [{ at: at(start), error: "abandoned", ms: null }],
    });
    now += 5_000;
    expect(await claimed()).toMatchObject([{ tries: 1, number: 2 }]);
    expect(await abandon()).toEqual([]);
  });

  test("at the start of the only server is any, however many", async () => {
    for (let n = 0; n < 5; n++) {
      const { id } = await subscribe(installation);
      await backlog(installation, id, 8);
    }
    expect(await claimed()).toHaveLength(40);
    expect(await abandon(true)).toHaveLength(40);
    expect(await abandon(true)).toEqual([]);
  });

  test("says nothing about the receiver, which may have answered", async () => {
    await backlog(installation, subscriberId, 8);
    await claimed();
    now += 60_000;
    await abandon();
    expect(await view()).toMatchObject({ state: "active", failures: 0, failingSince: null });
    now += 6_000;
    expect(await claimed()).toHaveLength(8);
  });

  test("changes nothing any more, whatever came of it", async () => {
    const first = await told();
    now += 60_000;
    await abandon();
    now += 5_000;
    const second = await only();
    for (const late of [first, { ...second, lease: first.lease }, { ...second, id: first.lease }]) {
      for (const outcome of ["accepted", "failed", "gone", "hopeless"] as const) {
        const before = await everything();
        expect(await end(late, outcome)).toMatchObject([{ state: "superseded", disabled: undefined }]);
        expect(await everything()).toEqual(before);
      }
    }
    expect(await end(second, "accepted")).toMatchObject([{ state: "delivered" }]);
    const before = await everything();
    expect(await end(second, "failed")).toMatchObject([{ state: "superseded" }]);
    expect(await everything()).toEqual(before);
  });
});

describe("in the middle of an attempt", () => {
  test("a subscriber that is paused still has it counted", async () => {
    const one = await told();
    await changeSubscriber({ ctx: installation.ctx, input: { id: subscriberId, change: "pause" } });
    expect(await end(one, "failed")).toMatchObject([{ state: "waiting" }]);
    expect(await view()).toMatchObject({ state: "paused", failures: 1, waiting: 1 });
  });

  test("a subscriber that is removed leaves nothing, and nothing comes back", async () => {
    const one = await told();
    await removeSubscriber({ ctx: installation.ctx, input: { id: subscriberId } });
    expect(await end(one, "accepted")).toMatchObject([{ state: "superseded" }]);
    for (const table of ["message", "delivery", "attempt"] as const) {
      expect(await rowCount(installation, table)).toBe(0);
    }
  });

  test("what it told of is deleted, and the others of its batch are settled", async () => {
    await tell(installation);
    const kept = await tell(installation);
    const both = await claimed();
    const gone = both.find(({ messageId }) => messageId !== kept);
    await installation.ctx.store.write((tx) => tx.run("delete from message where id = $1", [gone?.messageId ?? ""]));
    const states = await settled(...both.map((one) => ended(one, "accepted")));
    expect(states.map(({ attempted, state }) => [attempted.claimed.messageId === kept, state]).toSorted()).toEqual([
      [false, "superseded"],
      [true, "delivered"],
    ]);
    expect(await rowCount(installation, "attempt")).toBe(1);
  });
});
