import { afterEach, beforeEach, expect, test } from "bun:test";
import { keepBytes } from "../../test/store/files-contract.ts";
import { attachment, envelope, eventTools, storeReport } from "../../test/support/ingest.ts";
import { type Installation, install } from "../../test/support/installation.ts";
import { cutoffBy } from "../core/cutoff.ts";
import { setSetting } from "../core/settings.ts";
import type { Files } from "../store/files.ts";
import { LocalFiles } from "../store/local-files.ts";
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
  return new Retention(
    { store: ctx.store, ...eventTools(installation) },
    { now: ctx.now, cutoff: cutoffBy(ctx.now) },
  ).sweep();
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

test("a new file without a row stays at the start where other processes keep files too, and goes where none does", async () => {
  const { ctx, folder } = installation;
  for (const shared of [true, false]) {
    const local = new LocalFiles(folder);
    const id = ctx.newId();
    await keepBytes(local, "of a report that is being stored", id);
    const listed = Promise.withResolvers<void>();
    const files: Files = Object.assign(Object.create(local), {
      shared,
      trouble: () => undefined,
      removeDrafts: async () => {},
      remove: (ids: readonly string[]) => local.remove(ids),
      async *keptBefore(moment: number) {
        yield* local.keptBefore(moment);
        listed.resolve();
      },
    });
    const { reader } = eventTools(installation);
    // This process starts a minute after the file was kept.
    const now = () => ctx.now() + 60_000;
    const retention = new Retention({ store: ctx.store, files, reader }, { now, cutoff: cutoffBy(now) });
    retention.start();
    await listed.promise;
    await retention.stop();
    expect((await local.find(id)) !== undefined).toBe(shared);
  }
});
