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

  seedReports(installation, 12, { every: 1 });
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
