import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { withProjectUsage } from "../../../server/core/project-usage.ts";
import { RateLimited } from "../../../server/core/rate-limited.ts";
import type { Store } from "../../../server/core/store.ts";
import { UsageChanges } from "../../../server/ingest/count-usage-changes.ts";
import { addUsageStep, requireRoomToday, subtractUsageStep } from "../../../server/ingest/usage.ts";
import { readDatabaseUrl } from "../../../server/store/postgres/connection.ts";
import { PostgresStore } from "../../../server/store/postgres/postgres-store.ts";
import { connected, databaseWithSchema } from "../../support/postgres-schema.ts";

/** What a project keeps, counted by several processes at once. */
let stores: [Store, Store];
let url: string;
const ending: (() => Promise<unknown>)[] = [];
let projectId: string;

beforeAll(async () => {
  const database = await databaseWithSchema();
  url = database.url;
  const open = () => PostgresStore.open({ connection: readDatabaseUrl(url), connections: 4 });
  stores = await Promise.all([open(), open()]);
  ending.push(() => Promise.all(stores.map((store) => store.close())), database.drop);
});
afterAll(async () => {
  for (const end of ending) await end();
});

beforeEach(async () => {
  projectId = crypto.randomUUID();
  await stores[0].write((tx) =>
    tx.run("insert into project (id, name, position, created_at) values ($1, 'Shop', 0, 0)", [projectId]),
  );
});

const noon = Date.UTC(2026, 5, 1, 12);
const day = 86_400_000;
const plenty = 100 * 2 ** 30;

function add(store: Store, { bytes = 1_000, now = noon, dailyBytes = plenty, id = projectId } = {}) {
  return store.write((tx) => addUsageStep(tx, { projectId: id, now, bytes, fileBytes: bytes / 2, dailyBytes }), {
    isolation: "group",
  });
}

const selectUsage = withProjectUsage(
  (usage) => `select events, bytes, file_bytes, day, day_bytes from ${usage} where project_id = $1`,
);
const usage = () => stores[0].one(selectUsage, [projectId]);
const count = () => new UsageChanges(stores[0]).wake();
const waiting = () => stores[0].all("select project_id from project_usage_change");

test("a report that another process is storing in the project keeps none waiting", async () => {
  await add(stores[0]);
  await count();
  await connected(url, async (db) => {
    await db.run("begin");
    await db.run("select * from project_usage for update");
    await db.run("insert into project_usage_change select project_id, 1, 5, 0, day, 5 from project_usage");
    await Promise.all([add(stores[0]), add(stores[1])]);
    await db.run("rollback");
  });
  expect(await usage()).toMatchObject({ events: 3, bytes: 3_000, file_bytes: 1_500, day_bytes: 3_000 });
});

test("what is kept is the same before the changes are counted and afterwards, and each change counts once", async () => {
  for (const store of stores) await Promise.all(Array.from({ length: 20 }, () => add(store)));
  await stores[1].write((tx) => subtractUsageStep(tx, projectId, { events: 3, bytes: 3_000, fileBytes: 1_500 }));
  const all = { events: 37, bytes: 37_000, file_bytes: 18_500, day: "2026-06-01", day_bytes: 40_000 };
  expect(await usage()).toEqual(all);
  await Promise.all([count(), count(), new UsageChanges(stores[1]).wake()]);
  expect(await waiting()).toEqual([]);
  expect(await usage()).toEqual(all);
});

test("the bytes of a day are those of the newest day, in whatever order changes are counted", async () => {
  await add(stores[0], { bytes: 10 });
  await count();
  await add(stores[0], { bytes: 20, now: noon + day });
  await add(stores[1], { bytes: 5 });
  const next = { bytes: 35, day: "2026-06-02", day_bytes: 20 };
  expect(await usage()).toMatchObject(next);
  await count();
  expect(await usage()).toMatchObject(next);
  await add(stores[1], { bytes: 7 });
  await count();
  expect(await usage()).toMatchObject({ bytes: 42, day: "2026-06-02", day_bytes: 20 });
});

test("near the day's limit as many are admitted as fit, over all processes", async () => {
  const dailyBytes = 10_000;
  const outcomes = await Promise.allSettled(
    Array.from({ length: 30 }, (_, i) => add(stores[i % 2 === 0 ? 0 : 1], { dailyBytes })),
  );
  const refused = outcomes.filter(({ status }) => status === "rejected") as PromiseRejectedResult[];
  expect(refused).toHaveLength(20);
  for (const { reason } of refused) expect(reason).toBeInstanceOf(RateLimited);
  expect(await usage()).toMatchObject({ events: 10, day_bytes: 10_000 });
  const again = async () => requireRoomToday(stores[1], projectId, noon, dailyBytes);
  expect(again()).rejects.toBeInstanceOf(RateLimited);
});

test("changes of a project that was deleted meanwhile are forgotten", async () => {
  await add(stores[0], { id: "gone" });
  await count();
  expect(await waiting()).toEqual([]);
  expect(await stores[0].all("select 1 as one from project_usage where project_id = 'gone'")).toEqual([]);
});
