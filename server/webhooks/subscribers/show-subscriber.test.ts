import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { backlog, byClock, ended, subscribe, tell } from "../../../test/support/deliveries.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import type { Cutoff } from "../../core/cutoff.ts";
import { openSealing } from "../../core/open-sealing.ts";
import { claim } from "../deliveries/claim.ts";
import { listDeliveries } from "../deliveries/list-deliveries.ts";
import { type Attempted, settle } from "../deliveries/settle.ts";
import { changeSubscriber } from "./change-subscriber.ts";
import { deleteEnded } from "./delete-deliveries.ts";
import { showSubscriber } from "./show-subscriber.ts";

const start = Date.UTC(2026, 4, 1, 12);
const minute = 60_000;
const hour = 60 * minute;

let installation: Installation;
let subscriberId: string;
let now: number;
beforeEach(async () => {
  now = start;
  installation = byClock(await install(), () => now);
  subscriberId = (await subscribe(installation)).id;
});
afterEach(() => installation.remove());

const at = (time: number) => new Date(time).toISOString();

async function shown() {
  const { ctx, folder } = installation;
  return showSubscriber({ ctx, tools: { sealing: await openSealing(folder, ctx.store) }, input: { id: subscriberId } });
}

/** Attempts due deliveries, each with the next of these outcomes. */
function attempt(...ends: [Attempted["outcome"], Partial<Attempted>?][]) {
  return attemptBy(undefined, ...ends);
}

async function attemptBy(cutoff: Cutoff | undefined, ...ends: [Attempted["outcome"], Partial<Attempted>?][]) {
  const { store, newId } = installation.ctx;
  const claimed = await claim(store, { limit: ends.length, now, newId });
  const attempts = claimed.map((one, i) => {
    const [outcome, more] = ends[i] ?? ["failed"];
    return ended(one, outcome, { startedAt: now, ...more });
  });
  await settle(store, attempts, { now, schedule: [0, 60, 60, 60, 60, 60, 60, 60], random: () => 0.5, cutoff });
}

describe("the last attempt", () => {
  test("is not there before there was one", async () => {
    expect(await shown()).toMatchObject({ last: null, failures: 0, failingSince: null });
  });

  test("has its whole answer; those before it keep a KiB of theirs", async () => {
    const answer = `${"é".repeat(1_023)}😀${"b".repeat(15_000)}`;
    await tell(installation);
    await attempt(["failed", { answer, headers: { "retry-after": "7" }, answerCut: true }]);
    expect((await shown()).last).toEqual({
      deliveryId: expect.any(String),
      number: 1,
      title: null,
      type: "agent_run.updated",
      at: at(start),
      status: 500,
      error: "status",
      detail: null,
      ms: 12,
      headers: { "retry-after": "7" },
      answer,
      answerCut: true,
    });
    now += 2 * minute;
    await attempt(["failed", { answer: '{"fault":"queue"}', headers: { "content-type": "application/json" } }]);
    expect((await shown()).last).toMatchObject({
      number: 2,
      at: at(now),
      headers: { "content-type": "application/json" },
      answer: '{"fault":"queue"}',
      answerCut: false,
    });
    const { items } = await listDeliveries({ ctx: installation.ctx, input: { subscriberId, limit: 10 } });
    // The answer is not cut within a character.
    expect(items[0]?.attempts.map(({ answer }) => answer)).toEqual(["é".repeat(1_023), '{"fault":"queue"}']);
  });

  test("that nothing answered says so, and hides no older answer behind it", async () => {
    await backlog(installation, subscriberId, 2);
    await attempt(["failed"], ["failed", { status: null, error: "timeout", answer: null }]);
    expect((await shown()).last).toMatchObject({ status: null, error: "timeout", headers: null, answer: null });
    expect(await installation.ctx.store.all("select subscriber_id from last_attempt")).toHaveLength(1);
  });

  test("goes with its delivery", async () => {
    await tell(installation);
    await attempt(["accepted"]);
    expect((await shown()).last).toMatchObject({ status: 200 });
    expect(await deleteEnded(installation.ctx.store, now + 1)).toBe(1);
    expect(await shown()).toMatchObject({ last: null });
    expect(await installation.ctx.store.all("select * from last_attempt")).toEqual([]);
  });
});

describe("the last 48 hours", () => {
  const counted = async () => (await shown()).hours.filter(({ accepted, failed }) => accepted + failed > 0);

  test("count attempts: what waits without one is not a success, and every failure counts", async () => {
    await backlog(installation, subscriberId, 5);
    await attempt(["accepted"]);
    for (let i = 0; i < 3; i++) {
      await attempt(["failed"]);
      now += 2 * minute;
    }
    expect(await counted()).toEqual([{ at: at(start), accepted: 1, failed: 3 }]);
    now = start + hour;
    await attempt(["failed"]);
    expect(await counted()).toEqual([
      { at: at(start), accepted: 1, failed: 3 },
      { at: at(start + hour), accepted: 0, failed: 1 },
    ]);
    expect(await shown()).toMatchObject({ failures: 4, failingSince: at(start), waiting: 4 });
  });

  test("end, and what is older is not kept", async () => {
    await backlog(installation, subscriberId, 3);
    await attempt(["accepted"]);
    now = start + 47 * hour;
    await attempt(["accepted"]);
    expect((await counted()).map((one) => one.at)).toEqual([at(start), at(now)]);
    expect((await shown()).hours).toHaveLength(48);
    now = start + 48 * hour;
    await attempt(["accepted"]);
    expect((await counted()).map((one) => one.at)).toEqual([at(start + 47 * hour), at(now)]);
    expect(await installation.ctx.store.all("select at from attempt_hour")).toHaveLength(2);
  });

  test("stay while the clock is not trusted, and are there when it is right again", async () => {
    await backlog(installation, subscriberId, 3);
    await attempt(["accepted"]);
    now = start + 72 * hour;
    await attemptBy(() => Number.NEGATIVE_INFINITY, ["accepted"]);
    now = start + hour;
    await attempt(["accepted"]);
    expect((await counted()).map((one) => one.at)).toEqual([at(start), at(now)]);
  });
});

describe("what waits", () => {
  test("is told with the oldest of it, and when the next is tried", async () => {
    expect(await shown()).toMatchObject({ waiting: 0, oldestWaitingAt: null, nextWaitingAt: null });
    await tell(installation);
    await attempt(["failed"]);
    now += 10_000;
    await backlog(installation, subscriberId, 2);
    expect(await shown()).toMatchObject({ waiting: 3, oldestWaitingAt: at(start), nextWaitingAt: at(now - 1) });
    await installation.ctx.store.write((tx) =>
      tx.run("update subscriber set failures = 5, open_until = $1", [now + hour]),
    );
    expect(await shown()).toMatchObject({ nextWaitingAt: at(now + hour), nextProbeAt: at(now + hour) });
    await changeSubscriber({ ctx: installation.ctx, input: { id: subscriberId, change: "pause" } });
    expect(await shown()).toMatchObject({ waiting: 3, nextWaitingAt: null });
  });

  test("is counted up to 10,000", async () => {
    await backlog(installation, subscriberId, 10_002);
    expect(await shown()).toMatchObject({ waiting: 10_001 });
  });
});
