import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  attemptAll,
  backlog,
  byClock,
  deliveriesOf,
  ended,
  subscribe,
  subscriberView,
  tell,
} from "../../../test/support/deliveries.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { openSealing } from "../../core/open-sealing.ts";
import { rotateSecret } from "../subscribers/rotate-secret.ts";
import { claim } from "./claim.ts";
import { repairClockSkew } from "./repair-clock-skew.ts";
import { replayDead } from "./replay.ts";
import { settle, settleAbandoned } from "./settle.ts";

const right = Date.UTC(2026, 4, 1);
const ahead = Date.UTC(2099, 0, 1);
const second = 1_000;
const hour = 3_600 * second;
const schedule = [0, 5, 300];

let installation: Installation;
let now: number;
beforeEach(async () => {
  installation = byClock(await install(), () => now);
  now = ahead;
});
afterEach(() => installation.remove());

const setRight = () => repairClockSkew(installation.ctx.store, { now, schedule, random: () => 0.5 });
const take = () => claim(installation.ctx.store, { limit: 64, now, newId: installation.ctx.newId });
const stateOf = async (id: string) => (await deliveriesOf(installation, id)).map(({ state }) => state);
/** Fails every due delivery, by the schedule. */
async function fail(retryAfterMs?: number) {
  const attempts = (await take()).map((one) => ended(one, "failed", { startedAt: now, retryAfterMs }));
  await settle(installation.ctx.store, attempts, { now, schedule, random: () => 0.5 });
}

test("what was told while the clock was ahead is sent at once, and what had failed as its schedule says", async () => {
  const { id } = await subscribe(installation);
  await tell(installation);
  await fail();
  await tell(installation);
  now = right;
  expect(await take()).toHaveLength(0);
  await setRight();
  expect(await take()).toHaveLength(1);
  expect(await stateOf(id)).toEqual(["leased", "waiting"]);
  now += 5 * second;
  expect(await take()).toHaveLength(1);
});

test("what waits as long as it may is left alone, also when the clock is set back a little", async () => {
  now = right;
  const { id } = await subscribe(installation);
  await tell(installation);
  await fail(24 * hour);
  now -= 30 * second;
  const [before] = await deliveriesOf(installation, id);
  await setRight();
  expect(await deliveriesOf(installation, id)).toEqual([before as never]);
});

test("more deliveries than one transaction changes are repaired", async () => {
  const { id } = await subscribe(installation);
  await backlog(installation, id, 1_300);
  now = right;
  await setRight();
  const due = await installation.ctx.store.all("select id from delivery where next_at <= $1", [now]);
  expect(due).toHaveLength(1_300);
});

test("a breaker that opened meanwhile is open for ten minutes at most", async () => {
  const { id } = await subscribe(installation);
  for (let n = 0; n < 5; n++) await tell(installation);
  await fail();
  expect(await subscriberView(installation, id)).toMatchObject({ failures: 5 });
  now = right;
  await tell(installation);
  await setRight();
  now += 600 * second - 1;
  expect(await take()).toHaveLength(0);
  now += 1;
  expect(await take()).toHaveLength(1);
});

test("a lease of that time is over a minute later, and what it was for comes again", async () => {
  const { id } = await subscribe(installation);
  await tell(installation);
  const held = await take();
  expect(held).toHaveLength(1);
  now = right;
  await setRight();
  const abandoned = () => settleAbandoned(installation.ctx.store, { now, schedule, random: () => 0.5, all: false });
  now += 59 * second;
  expect(await abandoned()).toHaveLength(0);
  now += second;
  expect(await abandoned()).toHaveLength(1);
  expect(await stateOf(id)).toEqual(["waiting"]);
});

test("an old secret signs for a day more at most, and failures began now at the latest", async () => {
  const { id } = await subscribe(installation);
  const { ctx, folder } = installation;
  await rotateSecret({ ctx, tools: { sealing: await openSealing(folder, ctx.store) }, input: { id } });
  await tell(installation);
  await attemptAll(installation, "failed");
  now = right;
  await setRight();
  expect(await subscriberView(installation, id)).toMatchObject({
    previousUntil: new Date(right + 24 * hour).toISOString(),
    failingSince: new Date(right).toISOString(),
  });
});

test("what was given up meanwhile can be replayed", async () => {
  const { id } = await subscribe(installation);
  await tell(installation);
  await attemptAll(installation, "failed");
  now = right;
  await setRight();
  now += second;
  const input = { subscriberId: id, since: right - hour };
  expect(await replayDead({ ctx: installation.ctx, input })).toEqual({ replayed: 1 });
});
