import { afterEach, beforeEach, expect, test } from "bun:test";
import { attachment, envelope, eventTools, storeReport } from "../../test/support/ingest.ts";
import { type Installation, install } from "../../test/support/installation.ts";
import { cutoffBy } from "../core/cutoff.ts";
import { setSetting } from "../core/settings.ts";
import { listEvents } from "./list-events.ts";
import { Retention } from "./retention.ts";

let installation: Installation;
beforeEach(async () => {
  installation = await install();
});
afterEach(() => installation.remove());

/** Stores a report with an attachment of this many bytes. */
async function store(bytes: number): Promise<string> {
  const attachments = bytes === 0 ? [] : [attachment(new Uint8Array(bytes))];
  const unique = installation.ctx.newId();
  return (await storeReport(installation, [envelope({ unique }), ...attachments])).eventId;
}

const kept = async () => {
  const { ctx, made } = installation;
  const page = await listEvents({ ctx, input: { projectId: made.project.id, limit: 200 } });
  return page.items.map(({ id }) => id).reverse();
};
const sweep = () => {
  const { ctx } = installation;
  return new Retention({ store: ctx.store, ...eventTools(installation) }, { cutoff: cutoffBy(ctx.now) }).sweep();
};
const limitTo = (name: string, value: number) =>
  setSetting({ ctx: installation.ctx, input: { name, value: String(value) } });

test("by bytes, as few of the oldest go as it takes", async () => {
  const large = [await store(200_000), await store(200_000), await store(200_000)];
  const small: string[] = [];
  for (let i = 0; i < 60; i++) small.push(await store(0));
  await limitTo("retention_bytes", 600_000);
  await sweep();
  expect(await kept()).toEqual([...large.slice(1), ...small]);
});

test("by count, exactly the oldest beyond it go, also when they fill several steps", async () => {
  const ids: string[] = [];
  for (let i = 0; i < 130; i++) ids.push(await store(0));
  await limitTo("retention_events", 7);
  await sweep();
  expect(await kept()).toEqual(ids.slice(-7));
});

test("within its limits nothing goes", async () => {
  const ids = [await store(0), await store(0)];
  await limitTo("retention_events", 2);
  await limitTo("retention_bytes", 100_000);
  await sweep();
  expect(await kept()).toEqual(ids);
});
