import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  attemptAll,
  deliveriesOf,
  rowCount,
  subscribe,
  subscriberView,
  tell,
} from "../../../test/support/deliveries.ts";
import { eventTools } from "../../../test/support/ingest.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { createProject } from "../../boards/create-project.ts";
import { deleteProject } from "../../boards/delete-project.ts";
import { cutoffBy } from "../../core/cutoff.ts";
import { setSetting } from "../../core/settings.ts";
import { deleteOldest } from "../../ingest/delete-events.ts";
import { Retention } from "../../ingest/retention.ts";
import { enqueueStep } from "../deliveries/enqueue.ts";
import { removeSubscriber } from "./remove-subscriber.ts";

let installation: Installation;
beforeEach(async () => {
  installation = await install();
});
afterEach(() => installation.remove());

const day = 86_400_000;
const counts = async () => ({
  messages: await rowCount(installation, "message"),
  deliveries: await rowCount(installation, "delivery"),
  attempts: await rowCount(installation, "attempt"),
});

/** Runs the deletion once, as if this many days had passed. */
async function sweep(days: number) {
  const { files, reader } = eventTools(installation);
  const now = () => Date.now() + days * day;
  await new Retention({ store: installation.ctx.store, files, reader }, { cutoff: cutoffBy(now) }).sweep();
  reader.close();
}

/** Inserts copies of the newest delivery. */
function multiply(count: number) {
  const { store, newId } = installation.ctx;
  return store.write(function* (tx) {
    for (let n = 0; n < count; n++) {
      yield* tx.run(
        `insert into delivery (id, message_id, subscriber_id, state, tries, attempts, next_at, created_at, ended_at)
         select $1, message_id, subscriber_id, state, tries, attempts, next_at, created_at, ended_at
         from delivery order by created_at desc, id desc limit 1`,
        [newId()],
      );
    }
  });
}

test("deliveries that ended are kept for 30 days, or as long as is set, with their attempts", async () => {
  const { id } = await subscribe(installation);
  await tell(installation);
  await attemptAll(installation, "accepted");
  await tell(installation);
  await attemptAll(installation, "failed");
  await tell(installation);
  await sweep(29.9);
  expect(await counts()).toEqual({ messages: 3, deliveries: 3, attempts: 2 });
  await setSetting({ ctx: installation.ctx, input: { name: "delivery_days", value: "40" } });
  await sweep(30.1);
  expect(await counts()).toEqual({ messages: 3, deliveries: 3, attempts: 2 });
  await sweep(40.1);
  // Deliveries that still wait are kept.
  expect(await counts()).toEqual({ messages: 1, deliveries: 1, attempts: 0 });
  expect((await deliveriesOf(installation, id)).map(({ state }) => state)).toEqual(["waiting"]);
});

test("what tells of no report waits as long as reports are kept, whatever its subscriber's state", async () => {
  const { store } = installation.ctx;
  for (const state of ["active", "paused", "disabled"]) {
    const { id } = await subscribe(installation);
    await tell(installation);
    await store.write((tx) => tx.run("update subscriber set state = $2 where id = $1", [id, state]));
  }
  const before = await counts();
  expect(before).toMatchObject({ messages: 3, attempts: 0 });
  await sweep(89.9);
  expect(await counts()).toEqual(before);
  await sweep(90.1);
  expect(await counts()).toEqual({ messages: 0, deliveries: 0, attempts: 0 });
});

test("a message stays as long as somebody has still to be told", async () => {
  const [one, other] = [await subscribe(installation), await subscribe(installation)];
  await tell(installation);
  await installation.ctx.store.write((tx) =>
    tx.run("update delivery set state = 'delivered', ended_at = 1 where subscriber_id = $1", [one.id]),
  );
  await sweep(0);
  expect(await counts()).toMatchObject({ messages: 1, deliveries: 1 });
  await removeSubscriber({ ctx: installation.ctx, input: { id: other.id } });
  expect(await counts()).toEqual({ messages: 0, deliveries: 0, attempts: 0 });
});

test("many go in small steps, so that other writes come in between", async () => {
  const { ctx } = installation;
  const { id } = await subscribe(installation);
  await tell(installation);
  await attemptAll(installation, "failed");
  await multiply(1_300);
  const seen: number[] = [];
  const between: Promise<unknown>[] = [];
  const progress = (deleted: number) => {
    seen.push(deleted);
    // No new delivery is enqueued for the subscriber meanwhile.
    between.push(tell(installation).then(() => subscriberView(installation, id)));
  };
  await removeSubscriber({ ctx, input: { id, progress } });
  expect(seen).toEqual([500, 1_000, 1_301]);
  expect((await Promise.all(between))[0]).toMatchObject({ state: "disabled", reason: "being removed" });
  expect(await counts()).toEqual({ messages: 0, deliveries: 0, attempts: 0 });
  await subscribe(installation);
  await tell(installation);
  await attemptAll(installation, "failed");
  await multiply(1_300);
  await sweep(31);
  expect(await counts()).toEqual({ messages: 0, deliveries: 0, attempts: 0 });
});

test("reports that many were told of go a few in a transaction", async () => {
  const { ctx, made } = installation;
  const { store, newId } = ctx;
  const { id: subscriberId } = await subscribe(installation);
  for (let n = 0; n < 12; n++) {
    const eventId = newId();
    await store.write(function* (tx) {
      yield* tx.run(
        `insert into event (id, project_id, key_id, digest, received_at, envelope_bytes, stored_bytes, delivery_count,
           repeat_count)
         values ($1, $2, 'key', 'd1', 0, 0, 0, 90, 0)`,
        [eventId, made.project.id],
      );
      const message = { id: eventId, eventId, type: "report.received", head: "{}", tail: null } as const;
      yield* enqueueStep(tx, message, Array(90).fill(subscriberId), { now: 0, newId });
    });
  }
  const left: number[] = [await rowCount(installation, "delivery")];
  const counting = new Proxy(store, {
    get: (target, name: keyof typeof store) => {
      if (name === "engine") return target.engine;
      if (name !== "write") return target[name].bind(target);
      return async (work: Parameters<typeof store.write>[0]) => {
        const result = await target.write(work);
        left.push(await rowCount(installation, "delivery"));
        return result;
      };
    },
  });
  const { files, reader } = eventTools(installation);
  await deleteOldest({ store: counting, files, reader }, made.project.id, { before: 1 });
  reader.close();
  expect(left).toEqual([1_080, 900, 720, 540, 360, 180, 0]);
});

test("a project takes its subscribers along, and those of every project stay", async () => {
  const { ctx } = installation;
  const project = await createProject({ ctx, input: { name: "Short-lived" } });
  await subscribe(installation, { projectId: project.id });
  const everywhere = await subscribe(installation, { projectId: null });
  await tell(installation, project.id);
  expect(await counts()).toMatchObject({ messages: 1, deliveries: 2 });
  const { files, reader } = eventTools(installation);
  await deleteProject({ ctx, tools: { files, reader }, input: { id: project.id } });
  reader.close();
  expect(await ctx.store.all("select id from subscriber")).toEqual([{ id: everywhere.id }]);
  expect(await counts()).toMatchObject({ messages: 1, deliveries: 1 });
});
