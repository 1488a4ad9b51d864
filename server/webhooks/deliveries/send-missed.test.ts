import { afterEach, beforeEach, expect, test } from "bun:test";
import { deliveriesOf, rowCount, subscribe } from "../../../test/support/deliveries.ts";
import { type Installation, install } from "../../../test/support/installation.ts";
import { createProject } from "../../boards/create-project.ts";
import { openSealing } from "../../core/open-sealing.ts";
import { setSetting } from "../../core/settings.ts";
import { Links } from "../../files/links.ts";
import { removeSubscriber } from "../subscribers/remove-subscriber.ts";
import { claim } from "./claim.ts";
import { countMissed } from "./count-missed.ts";
import { enableSince } from "./enable-since.ts";
import { enqueueStep } from "./enqueue.ts";
import { sendMissed } from "./send-missed.ts";

const day = 86_400_000;
let installation: Installation;
let start: number;
beforeEach(async () => {
  installation = await install();
  start = Date.now() - day;
});
afterEach(() => installation.remove());

const run = (sql: string, params: (string | number | null)[] = []) =>
  installation.ctx.store.write((tx) => tx.run(sql, params));

/** A disabled subscriber to reports. */
async function disabled(input: Parameters<typeof subscribe>[1] = {}): Promise<string> {
  const { id } = await subscribe(installation, { types: ["report.received"], ...input });
  await disable(id);
  return id;
}

const disable = (id: string) => run("update subscriber set state = 'disabled', reason = 'a test' where id = $1", [id]);

/** A report that was received this many milliseconds after the start, with deliveries to these subscribers. */
async function report(
  after: number,
  { projectId = installation.made.project.id, type = null as string | null, told = [] as string[] } = {},
): Promise<string> {
  const { store, newId } = installation.ctx;
  const id = newId();
  await store.write(function* (tx) {
    yield* tx.run(
      `insert into event (id, project_id, key_id, digest, type, title, received_at, envelope_bytes, stored_bytes,
         delivery_count, repeat_count)
       values ($1, $2, 'key', 'digest', $3, 'A report', $4, 2, 0, $5, 0)`,
      [id, projectId, type, start + after, told.length],
    );
    if (told.length === 0) return;
    const message = { id, eventId: id, type: "report.received", head: "{}", tail: null } as const;
    yield* enqueueStep(tx, message, told, { now: start + after, newId });
  });
  return id;
}

const count = (subscriberId: string, since = start) =>
  countMissed({ ctx: installation.ctx, input: { subscriberId, since } });

async function send(subscriberId: string, since = start, progress?: (made: number) => void) {
  const { ctx, folder } = installation;
  await enableSince({ ctx, input: { id: subscriberId, since } });
  const links = new Links(await openSealing(folder, ctx.store));
  return sendMissed({ ctx, tools: { links }, input: { subscriberId, since, ...(progress && { progress }) } });
}

/** The events in the order in which their deliveries are claimed. */
async function claimedEvents(): Promise<string[]> {
  const { store, newId } = installation.ctx;
  const events: string[] = [];
  for (;;) {
    const some = await claim(store, { limit: 64, now: Date.now(), newId });
    if (some.length === 0) return events;
    events.push(...some.map(({ messageId }) => messageId));
    await run("update delivery set state = 'delivered', lease = null where state = 'leased'");
  }
}

test("what came since then and is for it is sent, oldest first, and once", async () => {
  const id = await disabled({ reportTypes: ["crash"] });
  const other = await createProject({ ctx: installation.ctx, input: { name: "Other" } });
  await report(-1, { type: "crash" });
  const late = await report(3_000, { type: "crash" });
  const early = await report(0, { type: "crash" });
  await report(1_000, { type: "hang" });
  await report(1_000);
  await report(1_000, { type: "crash", projectId: other.id });
  await report(2_000, { type: "crash", told: [id] });
  expect(await count(id)).toEqual({ count: 2, more: false });
  expect(await send(id)).toEqual({ missed: 2 });
  expect(await count(id)).toEqual({ count: 0, more: false });
  expect(await send(id)).toEqual({ missed: 0 });
  const order = await claimedEvents();
  expect(order.filter((event) => [early, late].includes(event))).toEqual([early, late]);
  expect(order).toHaveLength(3);
});

test("one of all projects is sent what came in any that is not deleted, in the order of receipt", async () => {
  const { ctx } = installation;
  const id = await disabled({ projectId: null });
  const [second, gone] = [
    await createProject({ ctx, input: { name: "Second" } }),
    await createProject({ ctx, input: { name: "Gone" } }),
  ];
  const events: string[] = [];
  for (let n = 0; n < 6; n++) {
    events.push(await report(n * 10, n % 2 === 0 ? { projectId: second.id } : {}));
    await report(n * 10 + 5, { projectId: gone.id });
  }
  await run("update project set deleted_at = 1 where id = $1", [gone.id]);
  expect(await count(id)).toEqual({ count: 6, more: false });
  expect(await send(id)).toEqual({ missed: 6 });
  expect(await claimedEvents()).toEqual(events);
});

test("many are sent in slices, with progress, and what was answered for them stays", async () => {
  const id = await disabled();
  for (let n = 0; n < 450; n++) await report(n);
  const steps: number[] = [];
  expect(await count(id)).toEqual({ count: 450, more: false });
  expect(await send(id, start, (made) => steps.push(made))).toEqual({ missed: 450 });
  expect(steps).toEqual([200, 400, 450]);
  expect(await rowCount(installation, "message")).toBe(450);
  expect(await installation.ctx.store.one("select sum(delivery_count) as n from event")).toEqual({ n: 0 });
  const [newest] = await deliveriesOf(installation, id);
  expect(newest).toMatchObject({ state: "waiting", attempts: [], eventId: expect.any(String) });
});

test("it ends when the subscriber is disabled again, and goes on from there when it is enabled again", async () => {
  const id = await disabled();
  for (let n = 0; n < 450; n++) await report(n);
  const { store } = installation.ctx;
  const write = store.write.bind(store);
  let writes = 0;
  // Runs after the change of state and the first slice.
  store.write = async (one) => {
    const value = await write(one);
    if (++writes === 2) await write((tx) => tx.run("update subscriber set state = 'disabled' where id = $1", [id]));
    return value;
  };
  expect(await send(id)).toEqual({ missed: 200 });
  store.write = write;
  expect(await send(id)).toEqual({ missed: 250 });
  expect(await rowCount(installation, "delivery")).toBe(450);
});

test("it ends when the subscriber is removed", async () => {
  const id = await disabled();
  for (let n = 0; n < 450; n++) await report(n);
  const { ctx } = installation;
  let removing: Promise<unknown> | undefined;
  const made = await send(id, start, () => {
    removing ??= removeSubscriber({ ctx, input: { id } });
  });
  expect(made.missed).toBeLessThan(450);
  await removing;
  expect(await ctx.store.one("select id from subscriber where id = $1", [id])).toBeUndefined();
});

test("one that is not told of reports has missed none, a paused one is resumed, and nothing changes", async () => {
  const { id: runs } = await subscribe(installation, { types: ["agent_run.updated"] });
  await disable(runs);
  await expect(send(runs)).rejects.toThrow("is not told of reports");
  const id = await disabled();
  await run("update subscriber set state = 'paused' where id = $1", [id]);
  await expect(send(id)).rejects.toThrow("is paused, and not disabled");
  const states = await installation.ctx.store.all("select state from subscriber order by state");
  expect(states).toEqual([{ state: "disabled" }, { state: "paused" }]);
});

test("since before what is known of deliveries is refused, but for what came after the last success", async () => {
  const id = await disabled();
  await setSetting({ ctx: installation.ctx, input: { name: "delivery_days", value: "2" } });
  await run("update subscriber set succeeded_at = $2 where id = $1", [id, start]);
  await expect(send(id, start - 3 * day)).rejects.toThrow("deliveries are kept for 2 days");
  expect((await installation.ctx.store.one("select state from subscriber"))?.["state"]).toBe("disabled");
  await run("update subscriber set succeeded_at = $2 where id = $1", [id, start - 5 * day]);
  await report(-3 * day);
  expect(await count(id, start - 4 * day)).toEqual({ count: 1, more: false });
  expect(await send(id, start - 4 * day)).toEqual({ missed: 1 });
});

test("what a clock that was ahead has stamped is sent too, and at once; what comes meanwhile is not looked at", async () => {
  const id = await disabled();
  const [ahead, early] = [await report(30 * day), await report(0)];
  expect(await count(id)).toEqual({ count: 2, more: false });
  let later: Promise<string> | undefined;
  const made = await send(id, start, () => {
    later ??= report(40 * day, { told: [id] });
  });
  expect(made).toEqual({ missed: 2 });
  await later;
  expect(await claimedEvents()).toEqual([early, ahead]);
});

test("since a time that is still to come is refused, and the subscriber stays disabled", async () => {
  const id = await disabled();
  const soon = Date.now() + day;
  await expect(count(id, soon)).rejects.toThrow("since lies in the future");
  await expect(send(id, soon)).rejects.toThrow("since lies in the future");
  expect((await installation.ctx.store.one("select state from subscriber"))?.["state"]).toBe("disabled");
});
