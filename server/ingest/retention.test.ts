import { afterEach, beforeEach, expect, test } from "bun:test";
import { attachment, envelope, eventTools } from "../../test/support/ingest.ts";
import { type Installation, install } from "../../test/support/installation.ts";
import { Links } from "../fanout/links.ts";
import { Sealing } from "../fanout/sealing.ts";
import { setSetting } from "../ops/settings.ts";
import { EnvelopeReader } from "./envelope-reader.ts";
import { findEnvelope } from "./find-envelope.ts";
import { listEvents } from "./list-events.ts";
import { receiveReport } from "./receive-report.ts";
import { Retention } from "./retention.ts";
import { Spool } from "./spool.ts";

let installation: Installation;
beforeEach(async () => {
  installation = await install();
});
afterEach(() => installation.remove());

/** Stores a report with an attachment of so many bytes. */
async function store(bytes: number): Promise<string> {
  const { ctx, made } = installation;
  const tools = eventTools(installation);
  const parts = [envelope({}), ...(bytes === 0 ? [] : [attachment(new Uint8Array(bytes))])].map((part) => {
    const spool = new Spool({ name: part.name ?? "envelope", filename: null, contentType: null }, tools.files);
    spool.write(Buffer.from(part.body as string));
    return spool;
  });
  for (const spool of parts) if (spool.spills) await spool.settle();
  const found = await findEnvelope(
    parts.map((spool) => spool.end()),
    new EnvelopeReader(),
    "key",
  );
  found.envelope.digest = Bun.SHA256.hash(ctx.newId(), "hex");
  const report = {
    ...found,
    keyId: made.sdkKey.id,
    projectId: made.project.id,
    userAgent: null,
    sourceIp: null,
    dedupDays: 30,
    dailyBytes: 1e12,
  };
  return (await receiveReport({ ctx, tools: { ...tools, links, stored: () => {} }, input: report })).eventId;
}

const links = new Links(new Sealing(new Uint8Array(32)));

const kept = async () => {
  const { ctx, made } = installation;
  const page = await listEvents({ ctx, input: { projectId: made.project.id, limit: 200 } });
  return page.items.map(({ id }) => id).reverse();
};
const sweep = () => {
  const { ctx } = installation;
  return new Retention({ store: ctx.store, ...eventTools(installation) }, ctx.now).sweep();
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
