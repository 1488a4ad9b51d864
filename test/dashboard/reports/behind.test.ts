import { afterAll, beforeAll, expect, test } from "bun:test";
import { createProject } from "../../../server/boards/create-project.ts";
import { behindMax } from "../../../server/core/behind-max.ts";
import { EnvelopeReader } from "../../../server/envelope/envelope-reader.ts";
import { listReports } from "../../../server/reports/list-reports.ts";
import { ReportIndex } from "../../../server/reports/report-index.ts";
import { type Installation, install } from "../../support/installation.ts";
import { seedReports } from "./seed.ts";

const reader = new EnvelopeReader();
let installation: Installation;
beforeAll(async () => {
  installation = await install();
});
afterAll(async () => {
  reader.close();
  await installation.remove();
});

test("a query that only the index answers says how many new reports it does not find yet", async () => {
  const { ctx, made } = installation;
  const index = new ReportIndex({ store: ctx.store, reader, now: ctx.now });
  const since = ctx.now();
  const list = (query: string, projectId = made.project.id) =>
    listReports({ ctx, reader, index, input: { projectId, query, limit: 5 } });
  expect(await list("cart")).toEqual({ items: [], next: null, problems: [] });

  await seedReports(installation, 12, { every: 1 });
  index.added(made.project.id, since - 12);
  expect(await list("cart")).toEqual({ items: [], next: null, problems: [], behind: 12 });
  expect(await list("has:dropped")).toMatchObject({ behind: 12 });
  expect(await index.behind(5)).toBe(5);
  // Filters compare the rows of reports that are not indexed, so all are found.
  expect(await list("-level:fatal")).not.toHaveProperty("behind");
  expect(await list("")).not.toHaveProperty("behind");
  const other = await createProject({ ctx, input: { name: "Shop" } });
  expect(await list("cart", other.id)).not.toHaveProperty("behind");

  await index.start();
  await index.finish();
  await index.stop();
  expect(await index.behind(behindMax)).toBe(0);
  const { items, ...rest } = await list("cart");
  expect(items).not.toBeEmpty();
  expect(rest).not.toHaveProperty("behind");
});

test("words that came with a report are found without its envelope being read, and only of reports that are stored", async () => {
  const { ctx, made } = installation;
  const read: string[] = [];
  const counting = {
    words: async (bytes: Uint8Array) => {
      read.push(Buffer.from(bytes).toString());
      return { message: "okapi", dropped: false };
    },
  };
  const index = new ReportIndex({ store: ctx.store, reader: counting, now: ctx.now });
  await index.start();
  await index.finish();
  read.length = 0;
  const before = ctx.now();
  const [one = "", other = ""] = await seedReports(installation, 2, { every: 1 });
  index.remember(one, { message: "zorilla", dropped: true });
  index.remember(ctx.newId(), { message: "nobody", dropped: true });
  index.added(made.project.id, before - 2);
  index.added(made.project.id, before - 1);
  await index.finish();
  const found = async (query: string) => {
    const { items } = await listReports({ ctx, reader, index, input: { projectId: made.project.id, query, limit: 5 } });
    return items.map(({ id }) => id);
  };
  expect([await found("zorilla"), await found("okapi"), await found("nobody")]).toEqual([[one], [other], []]);
  expect(await found("has:dropped")).toEqual([one]);
  expect(read).toHaveLength(1);
  await index.stop();
});

test("a report that is announced late, after newer ones were indexed, is found all the same", async () => {
  const { ctx, made } = installation;
  const index = new ReportIndex({ store: ctx.store, reader, now: ctx.now });
  await index.start();
  await index.finish();
  const add = (id: string, receivedAt: number) =>
    ctx.store.write((tx) =>
      tx.run(
        `insert into event (id, project_id, key_id, digest, title, received_at, envelope_bytes, stored_bytes,
           delivery_count, repeat_count) values ($1, $2, $3, '', 'late quokka', $4, 1, 1, 0, 0)`,
        [id, made.project.id, made.sdkKey.id, receivedAt],
      ),
    );
  const now = ctx.now();
  const ids = [ctx.newId(), ctx.newId(), ctx.newId()];
  for (const [i, receivedAt] of [now, now - 20, now - 60_000].entries()) {
    await add(ids[i] ?? "", receivedAt);
    index.added(made.project.id, receivedAt);
    await index.finish();
  }
  const input = { projectId: made.project.id, query: "quokka", limit: 5 };
  const { items, ...rest } = await listReports({ ctx, reader, index, input });
  expect(items.map(({ id }) => id)).toEqual(ids);
  expect(rest).not.toHaveProperty("behind");
  await index.stop();
});
