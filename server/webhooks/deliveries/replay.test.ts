import { afterEach, beforeEach, expect, test } from "bun:test";
import { attemptAll, deliveriesOf, rowCount, subscribe, tell } from "../../../test/support/deliveries.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { changeSubscriber } from "../subscribers/change-subscriber.ts";
import { claim } from "./claim.ts";
import { replayDead, replayDelivery } from "./replay.ts";

let installation: Installation;
let subscriberId: string;
beforeEach(async () => {
  installation = await install();
  subscriberId = (await subscribe(installation)).id;
});
afterEach(() => installation.remove());

const replay = (id: string) => replayDelivery({ ctx: installation.ctx, input: { subscriberId, id } });
const since = (moment: number, progress?: (replayed: number) => void) =>
  replayDead({ ctx: installation.ctx, input: { subscriberId, since: moment, ...(progress && { progress }) } });
const deliveries = () => deliveriesOf(installation, subscriberId);
const only = async () => {
  const [delivery] = await deliveries();
  if (!delivery) throw new Error("there is no delivery");
  return delivery;
};
const kill = (id: string, endedAt: number) =>
  installation.ctx.store.write((tx) =>
    tx.run("update delivery set state = 'dead', tries = 10, attempts = 10, ended_at = $2 where id = $1", [id, endedAt]),
  );

test("an ended delivery goes through the whole schedule again, as the same message, and its attempts stay", async () => {
  const messageId = await tell(installation);
  await attemptAll(installation, "failed");
  const { id, state } = await only();
  expect(state).toBe("dead");
  expect(await replay(id)).toEqual({ replayed: 1 });
  expect(await only()).toMatchObject({ id, state: "waiting", attempts: [{ status: 500 }] });
  const [claimed] = await claim(installation.ctx.store, { limit: 1, now: Date.now(), newId: installation.ctx.newId });
  expect(claimed).toMatchObject({ id, messageId, tries: 0, number: 2 });
});

test("a delivered one too, and its next attempt is written beside the first", async () => {
  await tell(installation);
  await attemptAll(installation, "accepted");
  const { id } = await only();
  await replay(id);
  await attemptAll(installation, "failed");
  expect((await only()).attempts.map(({ status }) => status)).toEqual([200, 500]);
});

test("one that waits for its next attempt comes now, and keeps its place in the schedule", async () => {
  const { ctx } = installation;
  await tell(installation);
  const { id } = await only();
  await ctx.store.write((tx) => tx.run("update delivery set next_at = 1e15, tries = 3, attempts = 3"));
  await replay(id);
  expect(await claim(ctx.store, { limit: 1, now: Date.now(), newId: ctx.newId })).toMatchObject([{ id, tries: 3 }]);
  // Now the delivery is in flight.
  await expect(replay(id)).rejects.toThrow("this delivery is under way");
});

test("another subscriber's, and one that is gone, are not found", async () => {
  const other = await subscribe(installation);
  await tell(installation);
  const [others] = await deliveriesOf(installation, other.id);
  await expect(replay(others?.id ?? "")).rejects.toThrow("there is no delivery");
  await expect(replay(installation.ctx.newId())).rejects.toThrow("there is no delivery");
  const nobodys = { subscriberId: "x", id: others?.id ?? "" };
  await expect(replayDelivery({ ctx: installation.ctx, input: nobodys })).rejects.toThrow("there is no subscriber");
});

test("since a time: what was given up at or after it, of this subscriber, and nothing that was delivered", async () => {
  const other = await subscribe(installation);
  for (let n = 0; n < 4; n++) await tell(installation);
  const [a, b, c, d] = (await deliveries()).map(({ id }) => id) as [string, string, string, string];
  await kill(a, 1_000);
  await kill(b, 2_000);
  await kill(c, 3_000);
  await installation.ctx.store.write((tx) =>
    tx.run("update delivery set state = 'delivered', ended_at = 4000 where id = $1", [d]),
  );
  const [others] = await deliveriesOf(installation, other.id);
  await kill(others?.id ?? "", 3_000);
  expect(await since(2_000)).toEqual({ replayed: 2 });
  const states = new Map((await deliveries()).map(({ id, state }) => [id, state]));
  expect([a, b, c, d].map((id) => states.get(id))).toEqual(["dead", "waiting", "waiting", "delivered"]);
  expect((await deliveriesOf(installation, other.id)).map(({ state }) => state)).toContain("dead");
  expect(await since(2_000)).toEqual({ replayed: 0 });
});

test("many of them, some hundred in a transaction; what dies again meanwhile is left", async () => {
  const { store, newId } = installation.ctx;
  const messageId = await tell(installation);
  const died = Date.now() - 1;
  await store.write(function* (tx) {
    for (let n = 0; n < 1_200; n++) {
      yield* tx.run(
        `insert into delivery (id, message_id, subscriber_id, state, tries, attempts, next_at, created_at, ended_at)
         values ($1, $2, $3, 'dead', 10, 10, 0, 0, $4)`,
        [newId(), messageId, subscriberId, died],
      );
    }
  });
  const seen: number[] = [];
  const done = since(0, (replayed) => {
    seen.push(replayed);
    // The attempt fails at once, as with a refused address.
    if (seen.length === 1) {
      void store.write((tx) =>
        tx.run("update delivery set state = 'dead', ended_at = $1 where state = 'waiting'", [Date.now()]),
      );
    }
  });
  expect(await done).toEqual({ replayed: 1_200 });
  expect(seen).toEqual([500, 1_000, 1_200]);
  expect(await rowCount(installation, "delivery")).toBe(1_201);
});

test("replayed ones of a disabled subscriber wait until it is enabled", async () => {
  const { ctx } = installation;
  await tell(installation);
  await attemptAll(installation, "gone");
  await since(0);
  expect(await attemptAll(installation, "accepted")).toBe(0);
  await changeSubscriber({ ctx, input: { id: subscriberId, change: "enable" } });
  expect(await attemptAll(installation, "accepted")).toBe(1);
});
